"""Tests of what a run of a notebook says in a terminal."""

import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import nbformat
import progress
import run

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "notebooks"

SETUP = '!sh "$GONB_DIR/ready"'

TRAIN = """import (
	"github.com/nbbnn/workbench/lab"
	"github.com/nbbnn/workbench/nbbnn"
)

%%
lab.Live("M16 & M32").Report(nbbnn.Update{Phase: "train", Epoch: 12, Epochs: 60, Loss: 0.5, Done: 12, Total: 60})
select {}"""

LIMIT = 240  # seconds until a run that says nothing is killed


def notebook(*cells):
    """Return a notebook: texts that begin with # are markdown."""
    make = {True: nbformat.v4.new_markdown_cell, False: nbformat.v4.new_code_cell}
    return nbformat.v4.new_notebook(cells=[make[text.startswith("#")](text) for text in cells])


class TestLabel(unittest.TestCase):
    def check(self, want, *cells):
        self.assertEqual(progress.label(notebook(*cells), len(cells) - 1), want)

    def test_comment(self):
        self.check("must returns the value", "# Set-up", "// must returns the value\nfunc must() {}")

    def test_heading(self):
        self.check("What holds", "# Title", "## The images", "x := 1", "## What holds\ntext", "var (\n\tx = 1\n)")

    def test_statement(self):
        self.check("x := 1", '%%\nimport (\n"fmt"\n)\nvar (\n)\nx := 1')

    def test_long_texts_are_cut_between_words(self):
        self.check("word word word word word word word word word word word word ...", "# " + 20 * "word " + "end", "x := 1")

    def test_comment_elsewhere_is_no_heading(self):
        self.check("Title", "# Title", "%noautoget")


class TestMissing(unittest.TestCase):
    def test_one_line_with_the_names_that_are_there(self):
        command = [sys.executable, run.__file__, str(NOTEBOOKS / "nope.ipynb"), "--output", "nope.ipynb"]
        done = subprocess.run(command, capture_output=True, text=True)
        there = ", ".join(sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")))
        want = f"tools/notebook/run.py: no notebook {NOTEBOOKS / 'nope.ipynb'}: there are {there}\n"
        self.assertIn("lesson-2, lesson-3", there)
        self.assertEqual((done.returncode, done.stderr), (1, want))


class TestUnwritable(unittest.TestCase):
    def test_one_line_before_any_cell_and_nothing_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "source.ipynb"
            nbformat.write(notebook("x := 1"), source)
            for output in (source / "new" / "a.ipynb", source / "a.ipynb"):
                done = subprocess.run([sys.executable, run.__file__, str(source), "--output", str(output)], capture_output=True, text=True)
                want = f"can't be saved as {output}: Not a directory: make {output.parent} writable, or name another output\n"
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
                self.assertIn(want, done.stderr)
            self.assertIsNone(run.unwritable(pathlib.Path(folder) / "a" / "b" / "c.ipynb"))
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["source.ipynb"])


class TestAtWork(unittest.TestCase):
    def test_training(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "source.ipynb"
            nbformat.write(notebook("## Training", SETUP, TRAIN), source)
            command = [sys.executable, run.__file__, str(source), "--output", str(source), "--directory", str(NOTEBOOKS), "--interval", "0.2"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL) as process:
                limit = threading.Timer(LIMIT, process.kill)  # ends the lines, too
                limit.start()
                try:
                    lines = []
                    for line in process.stdout:
                        lines.append(line)
                        if "epoch" in line:
                            break
                    process.send_signal(signal.SIGTERM)
                    process.communicate(timeout=LIMIT)
                finally:
                    limit.cancel()
                    process.kill()
        self.assertRegex(lines[0], r"^cell 1/2 +[0-9.]+ s  Training$")
        self.assertRegex(lines[-1], r"^cell 2/2 +[0-9.]+ s  train    M16 & M32   epoch 12/60   loss 0.500   entropy 0.0   training error 0.0%$")


if __name__ == "__main__":
    unittest.main()
