#!/usr/bin/env python3
"""Compare an image's settings with what people expect of Jupyter's own images, or print one of its commands.

    docker image inspect IMAGE | tools/image/conventions.py
    buildah inspect CONTAINER | tools/image/conventions.py entry      # or command, or health
"""

import json
import shlex
import sys

EXPECTED = {
    "User": "jovyan",
    "WorkingDir": "/home/jovyan/work",
    "ExposedPorts": {"8888/tcp": {}},
    "Entrypoint": ["tini", "-g", "--", "start.sh"],
    "Cmd": ["jupyter-lab"],
}

VARIABLES = {"NB_USER": "jovyan", "NB_UID": "1000", "NB_GID": "100", "HOME": "/home/jovyan"}


def settings(text):
    """Return the settings in what docker, podman or buildah says about an image."""
    answer = json.loads(text)
    if isinstance(answer, dict):
        return answer["Docker"]["config"]
    return {"Healthcheck": answer[0].get("Healthcheck"), **answer[0]["Config"]}  # podman's stands beside the others


def complaints(config):
    """Yield what differs from the conventions."""
    for name, want in EXPECTED.items():
        if config.get(name) != want:
            yield f"{name} is {config.get(name)}, not {want}"
    variables = dict(line.split("=", 1) for line in config["Env"])
    for name, want in VARIABLES.items():
        if variables.get(name) != want:
            yield f"the variable {name} is {variables.get(name)}, not {want}"
    if ":8888/api" not in health(config):
        yield f"the health check doesn't ask /api: {health(config)!r}"


def health(config):
    """Return the health check's shell command, or nothing."""
    return " ".join((config.get("Healthcheck") or {}).get("Test", [])[1:])


def main(what):
    """Return the exit status."""
    config = settings(sys.stdin.read())
    commands = {"entry": lambda: shlex.join(config["Entrypoint"]), "command": lambda: shlex.join(config["Cmd"]), "health": lambda: health(config)}
    if what in commands:
        print(commands[what]())
    else:
        problems = list(complaints(config))
        print("\n".join(f"conventions: {problem}" for problem in problems) or "image    user, folder, port, commands and health check as in Jupyter's images")
        return min(1, len(problems))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "compare"))
