"""JupyterLab on copies of the notebooks, as `make lab` starts it."""

import atexit
import json
import os
import pathlib
import secrets
import shutil
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "notebook"))

import browser  # noqa: E402
import lab  # noqa: E402

FOLDER = ROOT / ".cache" / "browser"

ANY_PORT = 0  # lets the system choose one that is free

# Narrower networks, one seed and a smaller test. The training of lesson-9 keeps its epochs: it has to outlast the time in which it's
# stopped and its tab opened anew; that of explore is shorter.
SMALL = "s.Seeds, s.Config.Network.Width, s.Evaluation.Images, s.Evaluation.Samples = []uint64{1}, 8, 50, 4"

SMALLER = {
    **{
        f"(paper.Figure03.{step}(ctx": f"(paper.Figure03.Adjust(func(s *paper.Setup) {{ {SMALL} }}).{step}(ctx"
        for step in ("Train", "Evaluate")
    },
    "explorer.Config(4))": "func() nbbnn.Config { c := explorer.Config(4); c.Training.Epochs = 12; return c }())",
}

# What the copies change: the place of the workbench and, unless FULL is set, the size of the experiment.
REPLACEMENTS = {'"$GONB_DIR/ready"': f'"{ROOT}/notebooks/ready"', **({} if os.environ.get("FULL") else SMALLER)}


class Unmatched(Exception):
    """A text that the copies change stands in no notebook any more."""


def copy_notebooks():
    """Write copies of the notebooks, without outputs, for the test; each of the replacements must have a place."""
    unused = set(REPLACEMENTS)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        unused -= copy_notebook(path)
    if unused:
        raise Unmatched(f"no notebook holds {', '.join(map(repr, sorted(unused)))}: bring REPLACEMENTS in tools/browser/server.py up to date")


def copy_notebook(path):
    """Write a copy of a notebook, and return the texts that were replaced in it."""
    notebook, used = json.loads(path.read_text()), set()
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
            found = {old for old in REPLACEMENTS if old in source}
            for old in found:
                source = source.replace(old, REPLACEMENTS[old])
            used |= found
        cell["source"] = source
    (FOLDER / "notebooks" / path.name).write_text(json.dumps(notebook))
    return used


class Server:
    """JupyterLab on copies of the notebooks, in a folder of its own."""

    def __init__(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        (FOLDER / "notebooks").mkdir(parents=True)
        for name in ("go.mod", "go.sum"):
            shutil.copy(ROOT / "notebooks" / name, FOLDER / "notebooks" / name)
        copy_notebooks()
        (FOLDER / "docs").symlink_to(ROOT / "docs")  # the recorded results
        self.token, self.port, self.process = secrets.token_hex(16), None, None

    def start(self):
        """Start JupyterLab at a port that the system chooses, and wait until it answers."""
        environment, log = pathlib.Path(sys.prefix), FOLDER / "server.log"
        lab.write_settings(environment)
        more = ["--no-browser", "--LabApp.expose_app_in_browser=True"]
        with log.open("w") as output:
            self.process = subprocess.Popen(
                lab.command(environment, FOLDER / "notebooks", ANY_PORT, more),
                env={**lab.variables(environment), **self.variables()},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        atexit.register(self.stop)  # also when a person interrupts the tests
        try:
            browser.wait_until(self.answers, 180, "JupyterLab did not answer")
        except Exception as failure:
            self.stop()
            raise RuntimeError(f"{failure}; it said:\n{log.read_text()[-2000:]}") from failure

    def variables(self):
        """Return what the server's environment has beside that of the test."""
        offline = {"GOFLAGS": "-mod=readonly", "GOPROXY": "off", "GOWORK": "off"}
        return {**offline, "JUPYTER_TOKEN": self.token, "JUPYTER_RUNTIME_DIR": str(FOLDER / "runtime")}

    def answers(self):
        """Say whether the server is up, whose port it writes down itself."""
        if self.process.poll() is not None:
            raise browser.TimeOut(f"JupyterLab ended with status {self.process.returncode}")
        try:
            description = FOLDER / "runtime" / f"jpserver-{self.process.pid}.json"
            self.port = json.loads(description.read_text())["port"]
            with urllib.request.urlopen(f"http://{lab.ADDRESS}:{self.port}/api", timeout=5) as answer:
                return answer.status == 200
        except (OSError, ValueError):
            return False

    def address(self):
        """Return the address of an empty workspace."""
        return f"http://{lab.ADDRESS}:{self.port}/lab/workspaces/{secrets.token_hex(4)}?token={self.token}"

    def stop(self):
        """End the server and its kernels."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
