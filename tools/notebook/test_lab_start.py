"""Tests of lab.py: what it says when JupyterLab can't start, and what it starts JupyterLab with."""

import contextlib
import io
import json
import os
import pathlib
import socket
import tempfile
import unittest
import unittest.mock

import lab
import nbformat
from nbformat.sign import NotebookNotary


class TestLab(unittest.TestCase):
    def complaint(self, *values):
        """Run lab.py where it must not start JupyterLab, and return what it says."""
        messages = io.StringIO()
        with contextlib.redirect_stderr(messages):
            self.assertEqual(lab.main(values), 1)
        self.assertEqual(messages.getvalue().count("\n"), 1, "one line")
        return messages.getvalue()

    def test_port_taken(self):
        with socket.socket() as other:
            other.bind((lab.ADDRESS, 0))
            other.listen()
            port = other.getsockname()[1]
            text = self.complaint(".", "--port", str(port))
            self.assertIn(f"port {port} is taken", text)
            self.assertNotIn(f"PORT={port}`", text)
            self.assertIn("make lab PORT=", text)

    def test_no_folder(self):
        self.assertIn("no folder", self.complaint("no/such/folder"))

    def test_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            lab.write_settings(pathlib.Path(folder))
            written = {path.name: json.loads(path.read_text()) for path in pathlib.Path(folder, "share/jupyter/lab/settings").iterdir()}
        self.assertEqual(written, lab.SETTINGS)

    def test_command(self):
        line = lab.command(pathlib.Path("/e"), "notebooks", 8889, ["--no-browser"])
        self.assertIn("--ServerApp.ip=127.0.0.1", line)
        self.assertIn("--ServerApp.port=8889", line)
        self.assertFalse([word for word in line if word.endswith("=kernel_info_request")], "its status must count")
        self.assertEqual(line[-1], "--no-browser")

    def test_kernels_listen_on_sockets(self):
        with tempfile.TemporaryDirectory() as folder:
            runtime = pathlib.Path(folder, "runtime")
            self.assertEqual(lab.sockets(runtime), ["--KernelManager.transport=ipc"])
            self.assertEqual((runtime.stat().st_mode & 0o777, list(runtime.iterdir())), (0o700, []))
            self.assertEqual(lab.sockets(runtime / ("long" * 30)), [], "kernels listen on ports")

    def test_folders_of_others_have_no_sockets(self):
        """A folder that was there before may be open to others, or theirs."""
        with tempfile.TemporaryDirectory() as folder:
            runtime = pathlib.Path(folder, "runtime")
            for mode in (0o701, 0o710, 0o755):
                runtime.mkdir(exist_ok=True)
                runtime.chmod(mode)
                self.check_ports(runtime)
            runtime.chmod(0o700)
            self.assertEqual(lab.sockets(runtime), ["--KernelManager.transport=ipc"])
            if os.geteuid() == 0:  # only root can give a folder away
                os.chown(runtime, 65534, -1)
                self.check_ports(runtime)

    def check_ports(self, folder):
        """Check that kernels listen on ports, and that one line says why."""
        messages = io.StringIO()
        with contextlib.redirect_stderr(messages):
            self.assertEqual(lab.sockets(folder), [])
        self.assertEqual(messages.getvalue().count("\n"), 1, "one line")
        self.assertIn(f"chmod 700 {folder}", messages.getvalue())

    def test_copies_have_no_answers(self):
        cells = [{"cell_type": "code", "source": [source], "outputs": [1], "execution_count": 2} for source in ("lab.Guess()", "lab.Answer()")]
        copied = json.loads(lab.unanswered(json.dumps({"cells": cells}).encode()))["cells"]
        self.assertEqual([cell["outputs"] for cell in copied], [[1], []])

    def test_copies(self):
        first, second = (json.dumps({"cells": [], "metadata": {"title": title}, "nbformat": 4, "nbformat_minor": 5}) for title in ("first", "second"))
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, JUPYTER_DATA_DIR=folder):
            source, work = pathlib.Path(folder, "notebooks"), pathlib.Path(folder, "work")
            source.mkdir()
            for name in ("ready", "changed.ipynb", "read.ipynb", "removed.ipynb"):
                (source / name).write_text(first)
            self.assertEqual(lab.prepare(source, work), [])
            self.assertEqual((work / "ready").read_text(), first)
            self.assertTrue((work / "runs").is_dir() and (work / "out").is_dir())
            (work / "changed.ipynb").write_text("mine")
            (work / "removed.ipynb").unlink()
            self.assertEqual(lab.prepare(source, work), [], "the notebooks are as they were")
            for path in source.glob("*.ipynb"):
                path.write_text(second)
            self.assertEqual(lab.prepare(source, work), ["changed.ipynb"])
            self.assertEqual({path.name: path.read_text() for path in work.glob("*.ipynb")},
                             {"changed.ipynb": "mine", "read.ipynb": second, "removed.ipynb": second})
            (work / "changed.ipynb").rename(work / "kept.ipynb")
            self.assertEqual(lab.prepare(source, work), [])
            self.assertEqual((work / "changed.ipynb").read_text(), second)
            notebooks = {path.name: nbformat.read(path, as_version=4) for path in work.glob("*.ipynb") if path.name != "kept.ipynb"}
            self.assertEqual([name for name in notebooks if not NotebookNotary().check_signature(notebooks[name])], [], "trusted copies")


if __name__ == "__main__":
    unittest.main()
