"""Times the reference's own corruptions: Hendrycks' robustness repository, of which the user has a copy.

    reference.py FOLDER IMAGES32.npy IMAGES64.npy

FOLDER holds make_cifar_c.py, make_tinyimagenet_c.py and the frost pictures as published. Nothing of it is changed: only the
definitions are loaded, not the loops over data sets below them, and names that NumPy, SciPy and scikit-image have dropped since
are given back. The first line on standard output names the versions of the libraries. Each line "CORRUPTION SIDE SECONDS" on standard input
is answered by images per second at severity 3, on one core.
Needs numpy, scipy, scikit-image, opencv-python-headless, pillow, wand and ImageMagick's library.
"""

import ast
import os
import pathlib
import platform
import sys
import time
import types
from importlib import metadata

import cv2
import numpy as np
import scipy.ndimage
import skimage.filters
from PIL import Image
from wand.version import MAGICK_VERSION

SCRIPTS = {32: "make_cifar_c.py", 64: "make_tinyimagenet_c.py"}


def restore_dropped_names():
    """Gives back the names that the reference was written for."""
    np.float_ = np.float64
    np.fromstring = np.frombuffer
    sys.modules["scipy.ndimage.interpolation"] = scipy.ndimage
    smooth = skimage.filters.gaussian

    def gaussian(image, *arguments, multichannel=False, **options):
        return smooth(image, *arguments, channel_axis=-1 if multichannel else None, **options)

    skimage.filters.gaussian = gaussian


def lend_torch():
    """Puts empty modules where the scripts import torch, which only serves the loops that aren't run. Returns their names."""
    names = ("torch", "torch.utils", "torch.utils.data", "torchvision", "torchvision.datasets", "torchvision.transforms")
    data = types.SimpleNamespace(Dataset=object)
    for name in names:
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(utils=types.SimpleNamespace(data=data), data=data, datasets=None, transforms=None)
    return names


def definitions(path):
    """Returns the functions of a script: its imports, definitions and settings of attributes are run, nothing else."""

    def wanted(node):
        if isinstance(node, ast.Assign):
            return isinstance(node.targets[0], ast.Attribute)
        return isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))

    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if wanted(node)]
    names = {"__name__": path.stem}
    exec(compile(tree, str(path), "exec"), names)
    return names


def images_per_second(corruption, images, seconds):
    """Corrupts the images in turn until the time is over, each to bytes as the reference's own loop does."""
    start, count = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < seconds:
        np.uint8(corruption(images[count % len(images)], 3))
        count += 1
    return count / elapsed


def versions():
    names = ("numpy", "scipy", "scikit-image", "opencv-python-headless", "pillow", "wand")
    magick = MAGICK_VERSION.split(" Q")[0]
    return f"Python {platform.python_version()}, {magick}, " + ", ".join(f"{name} {metadata.version(name)}" for name in names)


def main(folder, *files):
    cv2.setNumThreads(1)
    restore_dropped_names()
    lent = lend_torch()
    functions = {side: definitions(pathlib.Path(folder) / script) for side, script in SCRIPTS.items()}
    for name in lent:
        del sys.modules[name]  # SciPy would take them for the real ones
    images = {side: [Image.fromarray(image) for image in np.load(file)] for side, file in zip(SCRIPTS, files)}
    print(versions(), flush=True)
    os.chdir(folder)  # where the reference looks for its frost pictures
    for line in sys.stdin:
        name, side, seconds = line.split()
        corruption = functions[int(side)][name]
        np.uint8(corruption(images[int(side)][0], 3))
        print(images_per_second(corruption, images[int(side)], float(seconds)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
