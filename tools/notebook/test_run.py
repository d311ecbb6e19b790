"""Tests of run.py against the real kernel: every way in which a cell can fail must fail the run."""

import contextlib
import io
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import nbformat
import run
from jupyter_client.manager import KernelManager

PRINT = '%%\nfmt.Println("hello")'

SHOW = """import (
	"bytes"
	"image"
	"image/png"

	"github.com/janpfeifer/gonb/gonbui"
)

%%
var picture bytes.Buffer
png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2)))
gonbui.DisplayPng(picture.Bytes())
gonbui.Sync()"""

WAIT = "%%\nselect {\ncase <-time.After(time.Hour):\n}"

SETUP = '%noautoget\n!*cp "$GONB_DIR/go.mod" "$GONB_DIR/go.sum" .'

LIMIT = 60  # seconds until a run that does not stop is killed

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "notebooks"


class Outcome:
    """What a run of a small notebook left behind."""

    def __init__(self, sources, figure, timeout):
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        if figure:
            cells[-1].metadata["tags"] = ["figure"]
        with tempfile.TemporaryDirectory() as folder:
            source, output = pathlib.Path(folder) / "source.ipynb", pathlib.Path(folder) / "new" / "output.ipynb"
            nbformat.write(nbformat.v4.new_notebook(cells=cells), source)
            values = [str(source), "--output", str(output), "--directory", str(NOTEBOOKS), "--timeout", str(timeout)]
            messages, printed = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(messages):
                self.status = run.main(values)
            self.messages, self.printed = messages.getvalue(), printed.getvalue()
            self.files = sorted(path.name for path in output.parent.iterdir())
            self.cells = nbformat.read(output, as_version=4).cells


class TestRun(unittest.TestCase):
    def check(self, sources, status, message="", figure=False, timeout=120):
        outcome = Outcome(sources, figure, timeout)
        self.assertEqual(outcome.status, status, outcome.messages)
        self.assertIn(message, outcome.messages)
        self.assertEqual(outcome.files, ["output.ipynb"])
        return outcome

    def test_success(self):
        outcome = self.check([PRINT], 0)
        self.assertEqual(run.streams(outcome.cells[0], "stdout"), "hello\n")

    def test_picture(self):
        outcome = self.check([SETUP, SHOW], 0, figure=True)
        self.assertEqual(run.pictures(outcome.cells[1]), 1)

    def test_first_cell_imports_the_workbench(self):
        own = 'import "github.com/nbbnn/workbench/lab"\n\n%%\nlab.Assert(true, "the first cell imports the workbench")'
        outcome = self.check([own], 0)
        self.assertIn("✓ the first cell", run.streams(outcome.cells[0], "stdout"))

    def test_import_of_nothing(self):
        self.check(['import "github.com/nbbnn/workbench/nobody"\n\n%%\nnobody.Calls()'], 1, "nobody")

    def test_outputs_are_saved_on_failure(self):
        outcome = self.check([PRINT, '%%\npanic("stop")', PRINT], 1, "cell 2/3")
        self.assertEqual(run.streams(outcome.cells[0], "stdout"), "hello\n")
        self.assertEqual(outcome.cells[1].outputs[-1].output_type, "error")
        self.assertEqual(outcome.cells[2].outputs, [])

    def test_panic(self):
        self.check(['%%\npanic("stop")'], 1, "stop")

    def test_fatal(self):
        self.check(['%%\nlog.Fatal("stop")'], 1, "stop")

    def test_compile_error(self):
        self.check(["%%\nvar x int = 1.5\nfmt.Println(x)"], 1, "1.5")

    def test_value_of_another_cell(self):
        self.check(["%%\nrun := 1\nfmt.Println(run)", "%%\nfmt.Println(run)"], 1, "a value of another cell is gone with that cell")

    def test_syntax_error(self):
        self.check(["func f( {"], 1, "cell 1/1")

    def test_shell_false(self):
        self.check(["!false"], 1, "exit status 1")

    def test_shell_exit(self):
        self.check(["!exit 3"], 1, "exit status 3")

    def test_shell_missing_command(self):
        self.check(["!no-such-command"], 1, "exit status 127")

    def test_unknown_magic(self):
        self.check(["%nosuchmagic"], 1, "unknown or not implemented yet")

    def test_figure_without_picture(self):
        self.check([PRINT], 1, "shows no picture", figure=True)

    def test_time_limit(self):
        self.check([WAIT], 1, "time limit", timeout=3)

    def test_claims_are_printed_after_the_cells(self):
        outcome = self.check(['%%\nfmt.Println("claim    it holds")', PRINT], 0)
        self.assertEqual(outcome.printed.splitlines()[2:], ["claim    it holds"])

    def test_kernel_that_is_gone(self):
        with tempfile.TemporaryDirectory() as folder:
            kernel = pathlib.Path(folder) / "kernels" / "gonb"
            kernel.mkdir(parents=True)
            (kernel / "kernel.json").write_text('{"argv": ["/no/such/gonb"], "display_name": "Go (gonb)", "language": "go"}')
            with mock.patch.dict(os.environ), mock.patch.object(run, "offline_environment", return_value={"JUPYTER_PATH": folder}):
                outcome = self.check([PRINT], 1, "the kernel gonb can't be started")
        self.assertIn("make setup", outcome.messages)

    def test_exit_status_in_printed_text_is_no_failure(self):
        self.check(['%%\nfmt.Println("exit status 1")'], 0)


def notebook_json(cells, **more):
    """Return the bytes of a notebook file."""
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}).encode()


CELL = {"cell_type": "code", "id": "a", "metadata": {}, "source": PRINT, "outputs": [], "execution_count": None}

BROKEN = {
    "empty": b"",
    "null": b"null",
    "a list": b"[]",
    "a number": b"3",
    "an object": b"{}",
    "cut off": notebook_json([CELL])[:60],
    "too deep": b"[" * 100_000,
    "binary": bytes(range(256)),
    "UTF-16": notebook_json([CELL]).decode().encode("utf-16"),
    "no cells": notebook_json(None),
    "cells that are a number": notebook_json(3),
    "a cell that is null": notebook_json([None]),
    "a cell without type": notebook_json([{"source": "x"}]),
    "an unknown type": notebook_json([{**CELL, "cell_type": "magic"}]),
    "a number as source": notebook_json([{**CELL, "source": 3}]),
    "no outputs": notebook_json([{**CELL, "outputs": None}]),
    "a version in quotes": notebook_json([], nbformat="4"),
}


class TestBroken(unittest.TestCase):
    def test_one_line_says_what_is_wrong(self):
        for name, content in BROKEN.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                source, output = pathlib.Path(folder) / "source.ipynb", pathlib.Path(folder) / "output.ipynb"
                source.write_bytes(content)
                messages = io.StringIO()
                with contextlib.redirect_stderr(messages):
                    status = run.main([str(source), "--output", str(output)])
                self.assertEqual((status, output.exists()), (1, False))
                self.assertEqual(messages.getvalue().count("\n"), 1, messages.getvalue())
                self.assertIn(f"{source}: it isn't a notebook: ", messages.getvalue())


def listening(process):
    """Return the lines of the TCP ports that a process listens on."""
    own = set()
    for descriptor in pathlib.Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            own.add(os.readlink(descriptor))
    lines = [line.split() for name in ("tcp", "tcp6") for line in pathlib.Path(f"/proc/{process}/net/{name}").read_text().splitlines()[1:]]
    return [line for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in own]


@unittest.skipUnless(pathlib.Path("/proc/self/net/tcp").exists(), "needs Linux's list of ports")
class TestSockets(unittest.TestCase):
    """GoNB ends at a message with a wrong signature. With sockets, as `make lab` starts it, only its user can send one."""

    def ready(self, manager):
        """Return a client of a kernel that runs."""
        client = manager.client()
        client.start_channels()
        self.addCleanup(client.stop_channels)
        client.wait_for_ready(timeout=LIMIT)
        return client

    def test_no_port_is_open_and_a_kernel_that_ended_starts_again(self):
        for transport, ports in (("tcp", 5), ("ipc", 0)):
            with self.subTest(transport), tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, run.offline_environment()):
                manager = KernelManager(kernel_name="gonb", transport=transport, connection_file=f"{folder}/kernel-1.json")
                manager.start_kernel(stderr=subprocess.DEVNULL)
                self.addCleanup(manager.shutdown_kernel, now=True)
                client = self.ready(manager)
                process = manager.provisioner.pid
                self.assertEqual(len(listening(process)), ports)
                client.session.key = b"wrong"
                client.execute(f"!touch {folder}/done")
                ended, _, _ = select.select([os.pidfd_open(process)], [], [], LIMIT)
                self.assertTrue(ended, "GoNB ignores such messages: remove lab.sockets and this test")
                self.assertFalse(pathlib.Path(folder, "done").exists())
                manager.restart_kernel(now=True, stderr=subprocess.DEVNULL)
                self.ready(manager)


class TestStop(unittest.TestCase):
    def check(self, number):
        with tempfile.TemporaryDirectory() as folder:
            source, output = pathlib.Path(folder) / "source.ipynb", pathlib.Path(folder) / "output.ipynb"
            cells = [nbformat.v4.new_code_cell(text) for text in (PRINT, WAIT)]
            nbformat.write(nbformat.v4.new_notebook(cells=cells), source)
            command = [sys.executable, run.__file__, str(source), "--output", str(output), "--directory", str(NOTEBOOKS)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                limit = threading.Timer(LIMIT, process.kill)  # ends readline, too
                limit.start()
                try:
                    process.stdout.readline()  # the first cell is done
                    process.send_signal(number)
                    _, messages = process.communicate(timeout=LIMIT)
                finally:
                    limit.cancel()
                    process.kill()
                self.assertIn("stopped", messages)
                self.assertEqual(process.returncode, run.STOPPED)
            self.assertEqual(run.streams(nbformat.read(output, as_version=4).cells[0], "stdout"), "hello\n")

    def test_interrupt(self):
        self.check(signal.SIGINT)

    def test_termination(self):
        self.check(signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
