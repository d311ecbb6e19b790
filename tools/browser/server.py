"""JupyterLab on copies of the notebooks, as `make lab` starts it."""

import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "notebook"))

import browser  # noqa: E402
import lab  # noqa: E402

FOLDER = ROOT / ".cache" / "browser"

# Narrower networks, one seed and a smaller test. The training of figure-03 still takes a quarter of a minute, so that there's time to
# look at it and to stop it; that of explore is shorter.
SMALL = "s.Seeds, s.Config.Network.Width, s.Evaluation.Images, s.Evaluation.Samples = paper.FirstSeeds(1), 8, 50, 4"

# What the copies change: the place of the workbench, and the size of the experiment.
REPLACEMENTS = {
    '"$(realpath "$GONB_DIR/..")"': f'"{ROOT}"',
    "= paper.Figure03\n\tscale": f"= paper.Figure03.Adjust(func(s *paper.Setup) {{ {SMALL} }})\n\tscale",
    "s.Seeds = paper.FirstSeeds(1)": f"{SMALL}; s.Config.Training.Epochs = 24",
}


def copy_notebook(name):
    """Write a copy of a notebook, without outputs, for the test."""
    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
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
    """JupyterLab on copies of the notebooks, in a folder of its own."""

    def __init__(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        (FOLDER / "notebooks").mkdir(parents=True)
        for name in ("go.mod", "go.sum"):
            shutil.copy(ROOT / "notebooks" / name, FOLDER / "notebooks" / name)
        for source in (ROOT / "notebooks").glob("*.ipynb"):
            copy_notebook(source.stem)
        self.port, self.token = free_port(), secrets.token_hex(16)
        self.process = None

    def start(self):
        """Start JupyterLab and wait until it answers."""
        environment = pathlib.Path(sys.prefix)
        lab.write_settings(environment)
        more = ["--no-browser", "--LabApp.expose_app_in_browser=True"]
        with (FOLDER / "server.log").open("w") as log:
            self.process = subprocess.Popen(
                lab.command(environment, FOLDER / "notebooks", self.port, more),
                env={**os.environ, "JUPYTER_TOKEN": self.token, "GOFLAGS": "-mod=readonly", "GOPROXY": "off", "GOWORK": "off"},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        browser.wait_until(self.answers, 180, "JupyterLab did not answer")

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
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
