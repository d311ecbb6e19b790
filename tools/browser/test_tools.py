"""Tests of what drives the browser: copies of notebooks that are what the test thinks, no Chromium left over, no wait for a cell that failed."""

import itertools
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import browser
import page
import server


class TestCopies(unittest.TestCase):
    def copy(self):
        """Copy the notebooks into a folder of its own."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "notebooks").mkdir()
        with mock.patch.object(server, "FOLDER", folder):
            server.copy_notebooks()

    def test_every_replacement_has_a_place(self):
        self.copy()

    def test_replacement_without_a_place(self):
        with mock.patch.dict(server.REPLACEMENTS, {"no such text": ""}), self.assertRaisesRegex(server.Unmatched, "'no such text'"):
            self.copy()


class TestBrowser(unittest.TestCase):
    @unittest.skipUnless(browser.program(), "no Chromium here: SKIPPED")
    def test_no_process_is_left_over(self):
        started, start = [], subprocess.Popen

        def remember(*arguments, **options):
            started.append(start(*arguments, **options))
            return started[-1]

        late = mock.patch.object(browser.Browser, "_first_tab", side_effect=browser.TimeOut("too late"))
        with late, mock.patch.object(subprocess, "Popen", remember), self.assertRaises(browser.TimeOut):
            browser.Browser()
        self.assertIsNotNone(started[0].returncode)


    def test_no_answer_among_events(self):
        late = mock.Mock(number=0)
        late.socket.recv.return_value = '{"method": "Runtime.consoleAPICalled"}'
        times = mock.patch.object(browser.time, "monotonic", side_effect=itertools.count(0, browser.ANSWER / 3))
        with times, self.assertRaisesRegex(browser.TimeOut, "no answer within .* to Runtime.evaluate .*restartKernel"):
            browser.Browser.call(late, "Runtime.evaluate", expression="restartKernel()")


class TestWait(unittest.TestCase):
    def wait(self, failed, happens=True, ended=False):
        """Wait for something that happens when it's looked for, or never."""
        seen = mock.Mock(spec=page.Page)
        seen.failed.return_value, seen.text.return_value, seen.run.return_value = failed, "no such run", happens
        seen.ended.return_value, seen.state.return_value = ended, "the kernel is idle"
        with mock.patch.object(page.time, "monotonic", side_effect=itertools.count(0, page.LATE)), mock.patch.object(browser.time, "sleep"):
            page.Page.wait_in_cells(seen, [2, 3], "!!picture", 100 * page.LATE, "no picture")

    def test_cell_at_work(self):
        self.wait(failed=False)

    def test_cell_that_failed(self):
        with self.assertRaisesRegex(browser.TimeOut, "no picture: cell 3 failed: no such run"):
            self.wait(failed=True)

    def test_cell_that_has_ended_already(self):
        self.wait(failed=False, ended=True)
        with self.assertRaisesRegex(browser.TimeOut, "no picture: cell 4 has ended: no such run; the kernel is idle"):
            self.wait(failed=False, happens=False, ended=True)

    def test_cell_that_never_ends(self):
        with self.assertRaisesRegex(browser.TimeOut, "no picture within .*; the kernel is idle"):
            self.wait(failed=False, happens=False)


if __name__ == "__main__":
    unittest.main()
