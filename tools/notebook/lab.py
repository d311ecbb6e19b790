"""Open JupyterLab on a folder of notebooks, on this machine only and with a token.

`make lab` runs it for people, the test in a browser for itself, so that both get the same set-up. People work on copies of
the notebooks, in a folder that git ignores, next to links to trained networks and figures.
"""

import argparse
import hashlib
import json
import os
import pathlib
import socket
import sys
import uuid

import nbformat
from jupyter_core.paths import jupyter_runtime_dir
from nbformat.sign import NotebookNotary

# What JupyterLab doesn't do when a page opens: look for news and updates, and check for over a second whether it should be
# rebuilt, which only extensions from sources need.
SETTINGS = {
    "overrides.json": {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}},
    "page_config.json": {"buildCheck": False},
}

ADDRESS = "127.0.0.1"

# Messages whose status JupyterLab ignores. Its own list has kernel_info_request, too; GoNB answers nothing else before the
# first cell, so that its status would stay unknown until then.
UNTRACKED = ("comm_info_request", "comm_msg", "shutdown_request")


# Files in the folder of copies that people needn't see: what the first cell of a notebook runs, and what tools leave.
HIDDEN = ("ready", "notebooks", "__pycache__", "*.partial")

# Folders of the clone that are linked next to the copies. Cells reach them as ../runs and ../out, from either place. For the
# page of a copy, ".." of the first folder is this folder, so links to docs and notebooks work, too.
LINKED = ("runs", "out", "docs", "notebooks")

COPIES = ".copies.json"  # the checksum of each copy as it was made


def checksum(path):
    """Return the checksum of a file, or None if it isn't there."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def prepare(source, work):
    """Fill the folder work with copies of the notebooks in source, and return the names of changed copies whose notebook is newer.

    A copy that nobody changed follows its notebook. A changed one stays as it is, and one that was removed is made again.
    JupyterLab trusts what the copies show, so that their sliders move before a cell runs.
    """
    work.mkdir(parents=True, exist_ok=True)
    record = work / COPIES
    made = json.loads(record.read_text()) if record.is_file() else {}
    old, notary = [], NotebookNotary()
    for notebook in sorted(source.glob("*.ipynb")):
        content = unanswered(notebook.read_bytes())
        copy, before, new = work / notebook.name, made.get(notebook.name), hashlib.sha256(content).hexdigest()
        if copy.exists() and before == new:
            continue
        if copy.exists() and checksum(copy) not in (before, new):
            old.append(notebook.name)
            continue
        copy.write_bytes(content)
        notary.sign(nbformat.read(copy, as_version=4))
        made[notebook.name] = new
    record.write_text(json.dumps(made, indent=1) + "\n")
    for name in LINKED:
        (work.parent / name).mkdir(exist_ok=True)
        link(work / name, pathlib.Path("..") / name)
    link(work / "ready", pathlib.Path(os.path.relpath(source, work)) / "ready")
    return old


def unanswered(content):
    """Return the bytes of a notebook without the outputs of cells that answer a question to the reader."""
    if b"lab.Answer(" not in content:
        return content
    notebook = json.loads(content)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and "lab.Answer(" in "".join(cell["source"]):
            cell["outputs"], cell["execution_count"] = [], None
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n"


def link(path, target):
    """Make a link, unless there is something of that name."""
    if not path.is_symlink() and not path.exists():
        path.symlink_to(target)


def write_settings(environment):
    """Write the settings with which JupyterLab starts, where it looks for those of everybody who uses the environment."""
    folder = environment / "share" / "jupyter" / "lab" / "settings"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in SETTINGS.items():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")


def is_free(port):
    """Return whether the port is free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError:
            return False
    return True


def next_free(port):
    """Return the first port after the given one that nobody listens at."""
    return next(filter(is_free, range(port + 1, port + 100)), port + 100)


def is_private(folder):
    """Return whether the folder belongs to this user and is closed to others."""
    status = folder.stat()
    return status.st_uid == os.geteuid() and status.st_mode & 0o077 == 0


def sockets(folder):
    """Return the flag that lets kernels listen on sockets in a folder that only its user can enter, not on ports.

    GoNB ends at a message with a wrong signature, so anybody on this machine who reaches a kernel's ports can end it. Without
    sockets, as on some file systems and for long names of folders, and in a folder that is open to others, kernels listen on
    ports.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_private(folder):
            cure = f"if it's yours, `chmod 700 {folder}` closes it"
            print(f"lab: kernels listen on ports, because {folder} is open to others: {cure}", file=sys.stderr)
            return []
        path = folder / f"kernel-{uuid.uuid4()}-ipc-999"  # as long as their names
        with socket.socket(socket.AF_UNIX) as probe:
            probe.bind(str(path))
        path.unlink()
    except (AttributeError, OSError):
        return []
    return ["--KernelManager.transport=ipc"]


def command(environment, folder, port, more=()):
    """Return the command that serves the folder."""
    root = ["--allow-root"] if os.geteuid() == 0 else []  # in a container, where there is nobody else
    return [
        str(environment / "bin" / "jupyter-lab"),
        f"--ServerApp.ip={ADDRESS}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.log_level=WARN",
        *(f"--ContentsManager.hide_globs={name}" for name in HIDDEN),
        *(f"--MappingKernelManager.untracked_message_types={kind}" for kind in UNTRACKED),
        *sockets(pathlib.Path(jupyter_runtime_dir())),
        *root,
        *more,
    ]


def variables(environment):
    """Return the environment of a server or runner: the kernel of this clone comes before any of that name on JUPYTER_PATH."""
    folders = [str(environment / "share" / "jupyter"), os.environ.get("JUPYTER_PATH")]
    return {**os.environ, "JUPYTER_PATH": os.pathsep.join(filter(None, folders))}


def main(values):
    """Replace this process by JupyterLab, or return an exit status."""
    parser = argparse.ArgumentParser(description="Open JupyterLab.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="folder for copies of the notebooks to work on; the notebooks themselves if absent")
    parser.add_argument("--port", type=int, default=8888)
    options, more = parser.parse_known_args(values)
    environment = pathlib.Path(sys.prefix)
    if not options.folder.is_dir():
        print(f"lab: there's no folder {options.folder}: run make lab in the clone of the workbench", file=sys.stderr)
        return 1
    if not is_free(options.port):
        cure = f"make lab PORT={next_free(options.port)}"
        print(f"lab: port {options.port} is taken, perhaps by another JupyterLab: `{cure}` takes a free one", file=sys.stderr)
        return 1
    folder = options.work or options.folder
    if options.work:
        for name in prepare(options.folder, options.work):
            print(f"lab: {options.work / name} has your changes, and {options.folder / name} is newer: rename your copy to get that one, too", file=sys.stderr)
    write_settings(environment)
    line = command(environment, folder.resolve(), options.port, more)
    os.execve(line[0], line, variables(environment))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
