"""Install the GoNB kernel where a Jupyter finds it, and say what that Jupyter lacks.

The kernel calls go, goimports and gopls by name. Their folders go into the kernel's own description, so that it works
from whatever shell or menu Jupyter was started. In front of them is a folder with a go command for the kernel alone: it
lets the first cell of any notebook import the workbench.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

OLDEST = (3, 6)  # JupyterLab in which the notebooks were looked at


# GoNB builds cells in a temporary module, which it makes with "go mod init" and before each cell completes with "go get".
GO = """#!/bin/sh
# The go command of the kernel. The module of its cells begins with the requirements of the workbench's notebooks, so that
# any cell can import the workbench. Only an import that they lack is looked for elsewhere. What is undefined may be a value
# of another cell.
go={go}
workbench={workbench}
if [ "$PWD" = "$GONB_TMP_DIR" ] && [ -f "$workbench/notebooks/go.mod" ]; then
  case "$*" in
  "mod init "*)
    cp "$workbench/notebooks/go.mod" "$workbench/notebooks/go.sum" . &&
      exec "$go" mod edit -module="$3" -replace=github.com/nbbnn/workbench="$workbench"
    exit 1
    ;;
  get) "$go" list -deps . > /dev/null 2>&1 && exit ;;
  "get -t") "$go" list -deps -test . > /dev/null 2>&1 && exit ;;
  "build "*)
    if errors=$("$go" "$@" 2>&1); then exit; else status=$?; fi
    printf '%s\\n' "$errors" >&2
    case "$errors" in
    *undefined:*)
      echo "undefined: a value of another cell is gone with that cell, so compute or open it in this one; a function, a type or" >&2
      echo "a variable above %% is kept once its cell was run. Runs stay on disk: nbbnn.Open, or nbbnn.OpenDirectory, opens one." >&2 ;;
    esac
    exit "$status"
    ;;
  esac
fi
exec "$go" "$@"
"""


class NotInstalled(Exception):
    """The kernel can't be installed; the message says why and what to do."""


def data_folder(prefix):
    """Return the folder of Jupyter's data: that of the environment at prefix, or the user's own."""
    if prefix:
        return prefix / "share" / "jupyter"
    if "JUPYTER_DATA_DIR" in os.environ:
        return pathlib.Path(os.environ["JUPYTER_DATA_DIR"])
    if sys.platform == "darwin":
        return pathlib.Path.home() / "Library" / "Jupyter"
    base = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share"
    return pathlib.Path(base) / "jupyter"


def install(programs, data):
    """Let gonb write its description into data, and return the path of that."""
    command = [str(programs / "gonb"), "--install", "--force_deps"]
    environment = {**os.environ, "JUPYTER_DATA_DIR": str(data)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise NotInstalled(f"gonb --install failed: {result.stderr.strip()}")
    return data / "kernels" / "gonb" / "kernel.json"


def write_go(folder, go, workbench):
    """Write the go command of the kernel into a folder, and return the folder."""
    folder.mkdir(exist_ok=True)
    partial = folder / ".go.partial"
    partial.write_text(GO.format(go=shlex.quote(go), workbench=shlex.quote(str(workbench))))
    partial.chmod(0o755)
    partial.replace(folder / "go")
    return folder


def set_environment(description, folders, flags):
    """Put folders in front of the kernel's PATH, flags of go build into its GOFLAGS, and let an older go fetch the one that cells need."""
    content = json.loads(description.read_text())
    content["env"] = {"PATH": os.pathsep.join([*map(str, folders), "${PATH}"]), "GOTOOLCHAIN": "auto"}
    if flags:
        content["env"]["GOFLAGS"] = flags
    partial = description.with_name(".kernel.json.partial")
    partial.write_text(json.dumps(content, indent=1) + "\n")
    partial.replace(description)


def complaint(version):
    """Return what is wrong with a JupyterLab whose version is given, None for one that isn't there, or "" for nothing."""
    if version is None:
        return "no JupyterLab on the PATH: `make lab` brings one"
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if not numbers or tuple(map(int, numbers.groups())) < OLDEST:
        return f"JupyterLab {version} is older than 3.6, with which the notebooks were tried: `make lab` brings a newer one"
    return ""


def lab_version():
    """Return the version of the JupyterLab on the PATH, or None."""
    if not shutil.which("jupyter-lab"):
        return None
    result = subprocess.run(["jupyter-lab", "--version"], capture_output=True, text=True, check=False)
    return result.stdout.strip() or "of unknown version"


def main(values):
    """Return the exit status."""
    parser = argparse.ArgumentParser(description="Install the GoNB kernel.")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of gonb and goimports")
    parser.add_argument("--workbench", type=pathlib.Path, required=True, help="folder of the workbench that cells import")
    parser.add_argument("--prefix", type=pathlib.Path, help="virtual environment; the user's own Jupyter if absent")
    parser.add_argument("--flags", default="", help="flags of go build that cells are built with")
    options = parser.parse_args(values)
    programs, go = options.programs.resolve(), shutil.which("go")
    try:
        if not go:
            raise NotInstalled("there's no go on the PATH: install Go 1.27 or newer")
        description = install(programs, data_folder(options.prefix).resolve())
        own = write_go(description.parent / "bin", go, options.workbench.resolve())
        set_environment(description, [own, programs, pathlib.Path(go).parent], options.flags)
    except (NotInstalled, OSError) as failure:
        print(f"kernel: {failure}", file=sys.stderr)
        return 1
    if not options.prefix:
        print(f"kernel   Go (gonb) in {description.parent}")
        if complaint(lab_version()):
            print(f"kernel   {complaint(lab_version())}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
