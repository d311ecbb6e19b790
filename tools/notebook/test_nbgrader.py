"""Test of a lesson as an assignment of nbgrader, which the environment of this Python must have: it's released, two students
submit it, and both are graded and get feedback. JUPYTER_PATH leads to the kernel, if it isn't that of this clone."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
LESSON = "lesson-1"
STUB = 'panic("your code here")'
SOLUTION = """pairs, e := make([][2]float64, bins), 0.0
	for i, c := range confidence {
		b := min(int(c*float64(bins)), bins-1)
		pairs[b][0] += c
		if right[i] {
			pairs[b][1]++
		}
	}
	for _, pair := range pairs {
		e += math.Abs(pair[0]-pair[1]) / float64(len(right))
	}
	return e"""

SOFTER = "return 1 / (1 + math.Pow((1-p)/p, 1/temperature))"


@unittest.skipUnless(importlib.util.find_spec("nbgrader"), "no nbgrader here: SKIPPED")
class TestNbgrader(unittest.TestCase):
    def setUp(self):
        programs = str(pathlib.Path(sys.executable).parent)  # nbgrader and what it calls
        kernel = os.environ.get("JUPYTER_PATH", str(ROOT / ".cache" / "venv" / "share" / "jupyter"))
        changed = {"PATH": programs + os.pathsep + os.environ["PATH"], "JUPYTER_PATH": kernel, "NBBNN_HEADLESS": "1"}
        self.enterContext(unittest.mock.patch.dict(os.environ, changed))

    def run_in(self, folder, *command):
        subprocess.run(command, cwd=folder, check=True)

    def test_a_lesson_is_released_graded_and_returned(self):
        page = (ROOT / "docs" / "teaching.md").read_text()
        with tempfile.TemporaryDirectory() as name:
            course = pathlib.Path(name)
            source = course / "source" / LESSON
            self.run_in(ROOT, "go", "run", "./tools/notebook", "build", "--nbgrader", "--out", str(source), f"notebooks/{LESSON}.md")
            notebook = source / f"{LESSON}.ipynb"
            own = r"""\n", "// ### BEGIN HIDDEN TESTS\n", "lab.Assert(softer(.9, 1) > .8, \"secret\")\n", "// ### END HIDDEN TESTS"]"""
            graded = 'lab.Assert(lab.Grade(\\"1.2\\", softer), \\"exercise 1.2 is right\\")'
            text = notebook.read_text()
            self.assertEqual(text.count(graded), 1)
            head, tail = text.split(graded + '"')
            notebook.write_text(head + graded + own + tail.split("]", 1)[1])
            (course / "nbgrader_config.py").write_text("\n".join(re.findall(r"^    (c[ .].*)$", page, re.MULTILINE)) + "\n")
            self.run_in(course, "nbgrader", "generate_assignment", LESSON)
            release = (course / "release" / LESSON / f"{LESSON}.ipynb").read_text()
            stub, solution = (text.replace('"', r"\"").replace("\n", r"\n").replace("\t", r"\t") for text in (STUB, SOLUTION))
            self.assertEqual([release.count(text) for text in (stub, "// replace this", "secret", "lab.Guess(")], [2, 0, 0, 0])
            for student, submission in ("right", release.replace(stub, solution, 1).replace(stub, SOFTER)), ("wrong", release):
                folder = course / "submitted" / student / LESSON
                folder.mkdir(parents=True)
                (folder / f"{LESSON}.ipynb").write_text(submission)
            self.run_in(course, "nbgrader", "autograde", LESSON)
            self.run_in(course, "nbgrader", "generate_feedback", LESSON)
            feedback = {student: (course / "feedback" / student / LESSON / f"{LESSON}.html").read_text() for student in ("right", "wrong")}
            for said in "exercise 1.1 is right", "exercise 1.2 is right", "secret":
                self.assertIn(said, feedback["right"])
            self.assertIn("it panics: your code here", feedback["wrong"])

            from nbgrader.api import Gradebook

            with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
                scores = {student: book.find_submission(LESSON, student).score for student in feedback}
            self.assertEqual(scores, {"right": 2, "wrong": 0})


if __name__ == "__main__":
    unittest.main()
