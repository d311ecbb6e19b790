"""Test the notebooks in a real browser: JupyterLab as `make lab` sets it up, the Go kernel, Chromium without a window.

The notebooks are copies with a small experiment that shows everything. Screenshots go to the folder that SCREENSHOTS
names, else to .cache/browser.
"""

import os
import pathlib
import unittest

import browser
import page
import server

SCREENSHOTS = pathlib.Path(os.environ.get("SCREENSHOTS", server.FOLDER)).resolve()

LONG = 600  # seconds that anything may take on a machine that is busy with other things

VIEW = "document.querySelector('.nbbnn-training polyline')"
EPOCH = "Number(document.querySelector('.nbbnn-training')?.textContent.match(/epoch (\\d+)/)?.[1] ?? 0)"
NOTE = "(document.querySelector('.nbbnn-note')?.textContent ?? '')"
PANEL = "document.querySelector('.nbbnn-panel')"
CONTROLS = f"[...{PANEL}.querySelectorAll('input, select')].map(control => control.value).join(' ')"
PANEL_FIGURE = "document.querySelector('img[alt=\"figure of the panel\"]')"

# The first cells of a person who has read no more than that the kernel knows the workbench.
OWN_IMPORTS = """import (
	"github.com/nbbnn/workbench/lab"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz/report"
)"""

OWN_TRAINING = """%%
config := nbbnn.SmallAllCNNC()
config.Network.Width, config.Data.Train, config.Training.Epochs = 8, 200, 4
run := lab.Must(nbbnn.Open("runs", config))
lab.Check(run.Train(lab.Interruptible(), lab.Live("mine")))
lab.Show(report.Training(run))"""


@unittest.skipUnless(browser.program(), "no Chromium here (Debian: apt install chromium): the test in a browser was SKIPPED")
class TestLab(unittest.TestCase):
    """Each test is one notebook, opened by a person who runs all of its cells."""

    @classmethod
    def setUpClass(cls):
        cls.server = server.Server()
        cls.addClassCleanup(cls.server.stop)
        cls.server.start()

    def open(self, name):
        """Open a notebook in a browser of its own and run all of its cells."""
        opened = self.enterContext(page.Page())
        opened.open_notebook(self.server.address(), name)
        opened.run_all()
        return opened

    def assert_pictures(self, opened, positions):
        """Fail unless each of the cells shows a picture that the browser could draw."""
        for position in positions:
            self.assertTrue(opened.has_picture(position), f"cell {position + 1} shows no picture: {opened.text(position)[-500:]}")

    def assert_stopped(self, opened, position):
        """Fail unless a cell says where the training was stopped and what to do, in place of a picture."""
        self.assertIn("stopped at epoch", opened.text(position), f"cell {position + 1} doesn't say what is missing")
        self.assertIn("run the training again to continue", opened.text(position))
        self.assertFalse(opened.has_picture(position), f"cell {position + 1} draws half a figure")

    def wait_for_panel(self, opened, panel):
        """Wait until the cell of a panel shows its figure."""
        opened.wait_in_cells(range(panel + 1), f"!!{PANEL_FIGURE}", LONG, "the panel shows no picture")

    def end_panel(self, opened, panel):
        """Press the stop button, so that the cells after a panel run."""
        opened.interrupt()
        opened.wait_for_cell(panel, LONG)
        self.assertFalse(opened.failed(panel), f"the panel's cell ends badly: {opened.text(panel)[-500:]}")

    def test_stop_and_resume(self):
        opened = self.open("lesson-9")
        figures = opened.figure_cells()
        panel, training, later = figures[1], figures[2], figures[3:4]
        self.wait_for_panel(opened, panel)
        self.end_panel(opened, panel)
        opened.wait_in_cells([training], f"!!{VIEW} && {EPOCH} >= 12", LONG, "no live view of the training")
        opened.show(training, SCREENSHOTS / "lab-training.png")
        opened.interrupt()
        opened.wait_for_cell(later[-1], LONG)
        self.assertIn("stopped", opened.text(training))
        for position in later:
            self.assert_stopped(opened, position)
        self.assertEqual(opened.run(NOTE), "", "the page that started the cell takes its view for a saved one")
        opened.run_cells([training])
        opened.wait_in_cells([training], f"!!{VIEW}", LONG, "no live view of the training that goes on")
        self.reopen(opened, "lesson-9", training)
        opened.run_all()
        self.wait_for_panel(opened, panel)
        self.end_panel(opened, panel)
        opened.wait_for_cell(figures[-1], LONG)
        self.assert_pictures(opened, figures)

    def reopen(self, opened, name, training):
        """Close the tab of a notebook that trains, and see in a new one how the training goes on and its figure at the end."""
        opened.save()
        saved = opened.run(EPOCH)
        opened.reopen()
        opened.load_notebook(self.server.address(), name)
        opened.scroll_to(training)
        opened.wait(f"{EPOCH} > {saved} && !!{VIEW}", LONG, "the view doesn't go on in a new tab")
        opened.wait(f"{NOTE}.includes('The cell has ended')", LONG, "the new tab doesn't say that the training has ended")
        self.assertTrue(opened.has_picture(training), "the new tab shows no figure after the training")

    def test_own_notebook(self):
        opened = self.enterContext(page.Page())
        opened.launch_notebook(self.server.address())
        for position, source in enumerate((OWN_IMPORTS, OWN_TRAINING)):
            opened.write_and_run(source)
            opened.wait_for_cell(position, LONG)
            self.assertFalse(opened.failed(position), f"cell {position + 1}: {opened.text(position)[-500:]}")
        self.assertTrue(opened.run(f"!!{VIEW}"), "no live view of the training")
        self.assert_pictures(opened, [1])

    def test_panel_and_restart(self):
        opened = self.open("explore")
        panel, _, second, training = opened.figure_cells()
        self.wait_for_panel(opened, panel)
        self.move_controls(opened)
        opened.show(panel, SCREENSHOTS / "lab-panel.png")
        self.end_panel(opened, panel)
        opened.wait_in_cells([second], f"!!{opened.code_cell(second)}.node.querySelector('img')", LONG, "the second panel shows no picture")
        self.end_panel(opened, second)
        opened.wait_in_cells([training], f"!!{VIEW}", LONG, "no live view of the training, which may be over")
        opened.restart()
        opened.run_cells([*range(panel), training])
        drawn = f"{opened.code_cell(training)}.model.outputs.toJSON().some(output => output.data?.['image/png'])"
        opened.wait_in_cells([*range(panel), training], drawn, LONG, "no figure after the kernel was restarted")
        self.assert_pictures(opened, [training])

    def move_controls(self, opened):
        """Move each control of the panel, and wait until the picture follows.

        A page that is still being laid out may move a control away from the mouse, so a move that hits nothing is repeated.
        """
        ranges = f"{PANEL}.querySelectorAll('input[type=range]')"
        choice = f"{PANEL}.querySelector('select')"
        moves = (
            ("the mouse", lambda: opened.drag_to_end(f"{ranges}[0]"), f"{ranges}[0].value === '5'"),
            ("the arrow key", lambda: opened.press(f"{ranges}[0]", "ArrowLeft"), f"{ranges}[0].value === '4'"),
            ("the list", lambda: opened.choose_last(choice), f"{choice}.selectedIndex === {choice}.length - 1"),
        )
        for name, move, moved in moves:
            opened.run(f"before = {PANEL_FIGURE}.src; true")
            browser.wait_until(lambda: opened.run(moved) or move() or opened.run(moved), LONG, f"the control did not follow {name}")
            follows = f"{CONTROLS} === {PANEL_FIGURE}.dataset.values && before !== {PANEL_FIGURE}.src"
            opened.wait(follows, LONG, f"the picture did not follow {name}")
        self.assertEqual(opened.run(f"[...{ranges}].map(slider => slider.value).join(' ')"), "4")


if __name__ == "__main__":
    unittest.main()
