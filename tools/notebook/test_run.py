"""Tests of run.py against the real kernel: every way in which a cell can fail must fail the run."""

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import nbformat
import run

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
