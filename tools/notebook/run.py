"""Run a notebook of this project without a browser and save it with its outputs, also when it fails.

A run fails when a cell raises an error, and in three more cases in which the kernel itself says nothing: a shell
command ended with a status other than zero, a % command is unknown, or a cell tagged "figure" showed no picture.
"""

import argparse
import contextlib
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

import lab
import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from progress import Heartbeat, WatchedClient, claims, label

SILENT_FAILURE = re.compile(r"^exit status \d+|unknown or not implemented yet", re.MULTILINE)

STOPPED = 75  # exit status for "stopped, outputs saved, run me again"


class NotebookFailed(Exception):
    """A cell failed; the message says which one and why."""


def streams(cell, name):
    """Return what a cell wrote to the stream called name."""
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == name)


def pictures(cell):
    """Return how many PNG pictures a cell showed."""
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def complaint(cell):
    """Return what is wrong with the outputs of a cell that ended without an error, or None."""
    silent = SILENT_FAILURE.search(streams(cell, "stderr"))
    if silent:
        return f"a command failed silently: {silent.group(0)}"
    if "figure" in cell.metadata.get("tags", []) and pictures(cell) == 0:
        return "the cell shows no picture"
    return None


def last_lines(log, count=20):
    """Return the end of what the kernel wrote to its own log."""
    log.seek(0)
    return "".join(log.readlines()[-count:])


@contextlib.contextmanager
def started_kernel(client, log):
    """Start the kernel for a block, or say what is wrong with it."""
    try:
        with client.setup_kernel(stderr=log):
            yield
    except (NoSuchKernel, OSError) as error:
        raise NotebookFailed(f"the kernel gonb can't be started: {error}: `make setup` installs it anew, `nbbnn doctor` says what is there") from error


def run_cells(client, notebook, log, progress, interval):
    """Run every code cell in order and stop at the first that fails."""
    code_cells = [index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    with started_kernel(client, log):
        for position, index in enumerate(code_cells, start=1):
            where, about, started = f"cell {position}/{len(code_cells)}", label(notebook, index), time.monotonic()
            client.training = None

            def tell(where=where, about=about, started=started):
                progress(f"{where}  {time.monotonic() - started:6.1f} s  {client.training or about}")

            with Heartbeat(tell, interval):
                run_cell(client, notebook.cells[index], index, where, log)
            client.training = None
            tell()


def run_cell(client, cell, index, where, log):
    """Run one cell; where names it in the error when it fails."""
    try:
        client.execute_cell(cell, index)
    except CellTimeoutError as error:
        raise NotebookFailed(f"{where}: ran past the time limit") from error
    except DeadKernelError as error:
        raise NotebookFailed(f"{where}: the kernel died\n{last_lines(log)}") from error
    except CellExecutionError as error:
        raise NotebookFailed(f"{where}: {error}\n{streams(cell, 'stderr')}") from error
    reason = complaint(cell)
    if reason:
        raise NotebookFailed(f"{where}: {reason}\n{streams(cell, 'stderr')}")


def offline_environment():
    """Return the environment of the kernel: Go finds every module on this machine or fails, and no cell waits for a reader."""
    return {**lab.variables(pathlib.Path(sys.prefix)), "GOFLAGS": "-mod=readonly", "GOPROXY": "off", "GOWORK": "off", "NBBNN_HEADLESS": "1"}


def clear(notebook):
    """Remove the outputs of an earlier run."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def save(notebook, path):
    """Write the notebook beside its final place, then rename, so that no half file is left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    nbformat.write(notebook, partial)
    partial.replace(path)


def read(path):
    """Return the notebook at path without outputs. Whatever is wrong with the file is a NotebookFailed of one line."""
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        clear(notebook)
    except Exception as error:  # nbformat raises many kinds
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise NotebookFailed(f"it isn't a notebook: {reason}: take it from a copy, or name another file") from error
    return notebook


def execute(notebook, output, directory, timeout, interval, progress):
    """Run the notebook in directory and save it at output; a cell has timeout seconds, and a line of progress each interval."""
    os.environ.update(offline_environment())
    client = WatchedClient(
        notebook,
        timeout=timeout,
        kernel_name="gonb",
        extra_arguments=["-raw_error=true"],
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(directory)}},
    )
    try:
        with tempfile.TemporaryFile("w+") as log:
            run_cells(client, notebook, log, progress, interval)
        for line in claims(notebook):
            progress(line)
    finally:
        save(notebook, output)


def arguments(values):
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Run a notebook without a browser.")
    parser.add_argument("notebook", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True, help="where to save the notebook with its outputs")
    parser.add_argument("--directory", type=pathlib.Path, help="where cells run; the directory of the notebook if absent")
    parser.add_argument("--timeout", type=int, default=1200, help="seconds for one cell")
    parser.add_argument("--interval", type=float, default=20, help="seconds between two lines about a cell at work")
    return parser.parse_args(values)


def missing(path):
    """Return what is wrong with the path of a notebook that isn't there, or None."""
    if path.is_file():
        return None
    there = sorted(neighbour.stem for neighbour in path.parent.glob("*.ipynb"))
    names = ", ".join(there) or "none"
    return f"tools/notebook/run.py: no notebook {path}: there are {names}"


def unwritable(path):
    """Return what is wrong with the folder of an output that can't be written, or None. Nothing is left behind."""
    folder = path.parent
    while not os.path.lexists(folder):
        folder = folder.parent  # the nearest one that is there
    try:
        with tempfile.TemporaryDirectory(dir=folder):
            return None
    except OSError as error:
        return f"tools/notebook/run.py: the notebook can't be saved as {path}: {error.strerror}: make {path.parent} writable, or name another output"


def stop(number, frame):
    """Treat a request to end as an interrupt, so that the kernel is shut down and the outputs are saved."""
    raise KeyboardInterrupt


def main(values):
    """Return the exit status: 0 when every cell did what it should, 1 when one failed, STOPPED when interrupted."""
    options = arguments(values)
    problem = missing(options.notebook) or unwritable(options.output)
    if problem:
        print(problem, file=sys.stderr)
        return 1
    try:
        notebook = read(options.notebook)
    except NotebookFailed as failure:
        print(f"run: {options.notebook}: {failure}", file=sys.stderr)
        return 1
    directory = options.directory or options.notebook.parent
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)

    def progress(text):
        print(text, flush=True)

    try:
        execute(notebook, options.output, directory, options.timeout, options.interval, progress)
    except NotebookFailed as failure:
        print(f"run: {options.notebook}: {failure}\nrun: outputs up to there: {options.output}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"run: {options.notebook}: stopped; outputs up to there: {options.output}", file=sys.stderr)
        return STOPPED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
