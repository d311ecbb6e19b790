"""Open JupyterLab on a folder of notebooks, on this machine only and with a token.

`make lab` runs it for people, the test in a browser for itself, so that both get the same set-up.
"""

import argparse
import json
import os
import pathlib
import socket
import sys

# What JupyterLab doesn't do when a page opens: look for news and updates, and find out for over a second whether it should be
# built anew, which only extensions from sources need.
SETTINGS = {
    "overrides.json": {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}},
    "page_config.json": {"buildCheck": False},
}

ADDRESS = "127.0.0.1"

# Messages whose status JupyterLab ignores. Its own list has kernel_info_request, too; GoNB answers nothing else before the
# first cell, so that its status would stay unknown until then.
UNTRACKED = ("comm_info_request", "comm_msg", "shutdown_request")


def write_settings(environment):
    """Write the settings with which JupyterLab starts, where it looks for those of everybody who uses the environment."""
    folder = environment / "share" / "jupyter" / "lab" / "settings"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in SETTINGS.items():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")


def is_free(port):
    """Say whether nobody listens at the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError:
            return False
    return True


def next_free(port):
    """Return the first port after the given one that nobody listens at."""
    return next(filter(is_free, range(port + 1, port + 100)), port + 100)


def command(environment, folder, port, more=()):
    """Return the command that serves the folder."""
    root = ["--allow-root"] if os.geteuid() == 0 else []  # in a container, where there is nobody else
    return [
        str(environment / "bin" / "jupyter-lab"),
        f"--ServerApp.ip={ADDRESS}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.log_level=WARN",
        *(f"--MappingKernelManager.untracked_message_types={kind}" for kind in UNTRACKED),
        *root,
        *more,
    ]


def variables(environment):
    """Return the environment of a server or runner: the kernel of this clone comes before any of that name on JUPYTER_PATH."""
    folders = [str(environment / "share" / "jupyter"), os.environ.get("JUPYTER_PATH")]
    return {**os.environ, "JUPYTER_PATH": os.pathsep.join(filter(None, folders))}


def main(values):
    """Replace this process by JupyterLab, or return an exit status."""
    parser = argparse.ArgumentParser(description="Open JupyterLab.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--port", type=int, default=8888)
    options, more = parser.parse_known_args(values)
    environment = pathlib.Path(sys.prefix)
    if not options.folder.is_dir():
        print(f"lab: there's no folder {options.folder}: run make lab in the clone of the workbench", file=sys.stderr)
        return 1
    if not is_free(options.port):
        cure = f"make lab PORT={next_free(options.port)}"
        print(f"lab: port {options.port} is taken, perhaps by another JupyterLab: `{cure}` takes a free one", file=sys.stderr)
        return 1
    write_settings(environment)
    line = command(environment, options.folder.resolve(), options.port, more)
    os.execve(line[0], line, variables(environment))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
