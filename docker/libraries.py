#!/usr/bin/env python3
"""Load XLA's plugin for GPUs and every library of NVIDIA's in the folders where it looks for them. No GPU is needed.

    docker/libraries.py /opt/venv/lib/python3.11/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so
"""

import ctypes
import pathlib
import re
import sys

# What the driver brings into a container, and only there.
DRIVER = ("libcuda.so", "libnvidia-ml.so")


def folders(plugin):
    """Return the folders that stand in the plugin, as far as they exist."""
    places = set(re.findall(rb"\$ORIGIN/([^\0:]*)", plugin.read_bytes()))
    found = {(plugin.parent / place.decode()).resolve() for place in places}
    return sorted(folder for folder in found if folder.is_dir())


def problem(library):
    """Say why a library can't be loaded, or nothing."""
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        return "" if any(name in str(error) for name in DRIVER) else str(error)
    return ""


def main(plugin):
    """Return the exit status."""
    libraries = [library for folder in folders(plugin) for library in sorted(folder.glob("lib*.so.*"))]
    problems = [text for text in map(problem, [plugin, *libraries]) if text]
    print("\n".join(f"libraries: {text}" for text in problems) or f"check    {plugin.name} and {len(libraries)} libraries that it may load are there, and load")
    return 1 if problems or not libraries else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
