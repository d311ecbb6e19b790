"""Test the notebooks in a real browser: JupyterLab as `make lab` sets it up, the Go kernel, Chromium without a window.

The notebooks are copies with the smallest experiment that shows everything. Screenshots go to the folder that
SCREENSHOTS names, else to .cache/browser.
"""

import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "notebook"))

import browser  # noqa: E402
import lab  # noqa: E402

FOLDER = ROOT / ".cache" / "browser"
SCREENSHOTS = pathlib.Path(os.environ.get("SCREENSHOTS", FOLDER))

# What the copies change: the place of the workbench, and a figure of two runs that train for seconds.
REPLACEMENTS = {
    '"$(realpath "$GONB_DIR/..")"': f'"{ROOT}"',
    "paper.Figure03\n": "paper.Figure03.Adjust(func(s *paper.Setup) {\n"
    "\t\ts.Seeds, s.Config.Training.Epochs, s.Config.Network.Width = paper.FirstSeeds(1), 24, 8\n"
    "\t\ts.Evaluation.Images, s.Evaluation.Samples = 50, 2\n\t})\n",
}

# JavaScript for the notebook in front.
PANEL = "window.panel"


def copy_notebook(name):
    """Write a copy of a notebook, without outputs, for the test."""
    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
        source = "".join(cell["source"])
        for old, new in REPLACEMENTS.items():
            source = source.replace(old, new)
        cell["source"] = source
    (FOLDER / "notebooks" / f"{name}.ipynb").write_text(json.dumps(notebook))


def free_port():
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind((lab.ADDRESS, 0))
        return probe.getsockname()[1]


class Server:
    """JupyterLab on the copies."""

    def __init__(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        (FOLDER / "notebooks").mkdir(parents=True)
        for name in ("go.mod", "go.sum"):
            shutil.copy(ROOT / "notebooks" / name, FOLDER / "notebooks" / name)
        for source in (ROOT / "notebooks").glob("*.ipynb"):
            copy_notebook(source.stem)
        self.port, self.token = free_port(), secrets.token_hex(16)
        environment = pathlib.Path(sys.prefix)
        lab.write_settings(environment)
        more = ["--no-browser", "--LabApp.expose_app_in_browser=True"]
        self.log = (FOLDER / "server.log").open("w")
        self.process = subprocess.Popen(
            lab.command(environment, FOLDER / "notebooks", self.port, more),
            env={**os.environ, "JUPYTER_TOKEN": self.token, "GOFLAGS": "-mod=readonly", "GOPROXY": "off", "GOWORK": "off"},
            stdout=self.log, stderr=subprocess.STDOUT,
        )
        browser.wait_until(self.answers, 60, "JupyterLab did not answer")

    def answers(self):
        """Say whether the server is up."""
        try:
            with urllib.request.urlopen(f"http://{lab.ADDRESS}:{self.port}/api", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def address(self):
        """Return the address of an empty workspace."""
        return f"http://{lab.ADDRESS}:{self.port}/lab/workspaces/{secrets.token_hex(4)}?token={self.token}"

    def stop(self):
        """End the server and its kernels."""
        self.process.terminate()
        self.process.wait(20)
        self.log.close()


class Page(browser.Browser):
    """A browser with one notebook in front."""

    def open_notebook(self, server, name):
        """Open a notebook with the Go kernel."""
        self.open(server.address())
        self.wait("!!(window.jupyterapp && window.jupyterapp.shell && window.jupyterapp.shell.widgets)", 60, "JupyterLab did not load")
        self.run("window.jupyterapp.restored.then(() => true)")
        options = json.dumps({"path": f"{name}.ipynb", "factory": "Notebook", "kernel": {"name": "gonb"}})
        self.run(
            f"window.jupyterapp.commands.execute('docmanager:open', {options})"
            ".then(panel => { window.panel = panel; window.jupyterapp.shell.activateById(panel.id); return true; })"
        )
        self.wait(f"{PANEL} && {PANEL}.sessionContext && {PANEL}.sessionContext.session?.kernel?.status === 'idle'", 60, "the kernel did not start")
        self.run("window.jupyterapp.commands.execute('application:toggle-left-area').then(() => true)")

    def code_cell(self, position):
        """Return JavaScript for the code cell in the position, counted from 0."""
        return f"{PANEL}.content.widgets.filter(cell => cell.model.type === 'code')[{position}]"

    def start_cells(self, first, end):
        """Run code cells without waiting for them; each begins when the one before has ended."""
        for position in range(first, end):
            self.run(
                f"{PANEL}.content.activeCellIndex = {PANEL}.content.widgets.indexOf({self.code_cell(position)});"
                "window.jupyterapp.commands.execute('notebook:run-cell'); true"
            )

    def outputs(self, position):
        """Return the outputs of a code cell."""
        return json.loads(self.run(f"JSON.stringify({self.code_cell(position)}.model.outputs.toJSON())"))

    def wait_for_cell(self, position, seconds):
        """Wait until a cell has run."""
        what = f"cell {position + 1} did not end"
        self.wait(f"{self.code_cell(position)}.model.executionState === 'idle' && {self.code_cell(position)}.model.executionCount > 0", seconds, what)

    def show(self, position, path):
        """Scroll to a cell's output and take a screenshot."""
        self.run(f"{self.code_cell(position)}.outputArea.node.scrollIntoView({{block: 'center'}}); true")
        self.run("new Promise(done => setTimeout(() => done(true), 700))")
        self.screenshot(path)

    def interrupt(self):
        """Press the stop button."""
        self.run("window.jupyterapp.commands.execute('notebook:interrupt-kernel').then(() => true)")


def text_of(outputs):
    """Return what outputs print, errors included."""
    return "".join(str(o.get("text", "")) + "\n".join(o.get("traceback", [])) + str(o.get("data", "")) for o in outputs)


def has_picture(outputs):
    """Say whether outputs hold a picture."""
    return any("image/png" in o.get("data", {}) for o in outputs)


@unittest.skipUnless(browser.program(), "no Chromium here (Debian: apt install chromium): the test in a browser was SKIPPED")
class TestLab(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.stop)

    def page(self, name):
        page = self.enterContext(Page())
        page.open_notebook(self.server, name)
        return page

    def test_slider(self):
        page = self.page("corruptions")
        page.start_cells(0, 5)
        page.wait("!!document.querySelector('.jp-OutputArea img[alt=\"figure of the panel\"]')", 120, "the panel showed no picture")
        before = page.run("document.querySelector('img[alt=\"figure of the panel\"]').src")
        corners = "document.querySelector('.jp-OutputArea input[type=range]')"
        page.run(f"{corners}.scrollIntoView({{block: 'center'}}); true")
        box = page.run(f"(() => {{ const b = {corners}.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})()")
        middle = box[1] + box[3] / 2
        page.drag((box[0] + box[2] * 0.6, middle), (box[0] + box[2] - 2, middle))
        page.wait(f"{corners}.value === '5'", 5, "the slider did not move")
        page.wait(f"document.querySelector('img[alt=\"figure of the panel\"]').src !== {json.dumps(before)}", 30, "the picture did not change")
        page.show(4, SCREENSHOTS / "lab-slider.png")
        page.interrupt()
        page.wait_for_cell(4, 10)
        self.assertFalse([o for o in page.outputs(4) if o["output_type"] == "error"], "the panel's cell ends well")

    def test_interrupt_and_resume(self):
        page = self.page("figure-03")
        page.start_cells(0, 11)
        view = "document.querySelector('.nbbnn-training polyline')"
        page.wait(f"!!{view}", 120, "no live view of the training")
        page.show(8, SCREENSHOTS / "lab-training.png")
        page.interrupt()
        page.wait_for_cell(8, 10)
        self.assertIn("stopped", text_of(page.outputs(8)))
        page.wait_for_cell(10, 60)
        self.assertIn("training stopped at epoch", text_of(page.outputs(10)), "cells below say what is missing")
        self.assertFalse(has_picture(page.outputs(10)))
        page.start_cells(8, 13)
        page.wait_for_cell(12, 150)
        for position in (4, 6, 8, 9, 10, 11, 12):
            self.assertTrue(has_picture(page.outputs(position)), f"cell {position + 1}: {text_of(page.outputs(position))[-500:]}")
        page.show(12, SCREENSHOTS / "lab-figure.png")


if __name__ == "__main__":
    unittest.main()
