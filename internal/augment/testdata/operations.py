"""Writes operations.json: results of Pillow's image operations that AugMix uses, for two small images.

Run it with Pillow and NumPy: python operations.py > operations.json
"""
import json
import numpy as np
import PIL
from PIL import Image, ImageOps


def image(height, width, seed):
    y, x, c = np.mgrid[0:height, 0:width, 0:3]
    return ((x * 23 + y * 37 + c * 59 + x * y * (3 + c) + seed * 71) % 211 + 20).astype(np.uint8)


def affine(im, matrix):
    return im.transform(im.size, Image.AFFINE, matrix, resample=Image.BILINEAR)


def cases(im):
    yield "autocontrast", 0, ImageOps.autocontrast(im)
    yield "equalise", 0, ImageOps.equalize(im)
    for bits in (3, 4):
        yield "posterise", bits, ImageOps.posterize(im, bits)
    for threshold in (180, 200, 256):
        yield "solarise", threshold, ImageOps.solarize(im, threshold)
    for degrees in (-9, -4, 0, 1, 7):
        yield "rotate", degrees, im.rotate(degrees, resample=Image.BILINEAR)
    for level in (-0.09, 0.05):
        yield "shear_x", level, affine(im, (1, level, 0, 0, 1, 0))
        yield "shear_y", level, affine(im, (1, 0, 0, level, 1, 0))
    for level in (-2, 0, 3):
        yield "translate_x", level, affine(im, (1, 0, level, 0, 1, 0))
        yield "translate_y", level, affine(im, (1, 0, 0, 0, 1, level))


flat = np.full((3, 4, 3), 90, np.uint8)
flat[..., 1] = [[10, 10, 10, 20]] * 3
images = {"odd": image(7, 9, 1), "square": image(8, 8, 2), "flat": flat}
out = {"pillow": PIL.__version__, "images": [], "cases": []}
images["large"] = (image(24, 24, 3) // 3 * 2 + 11).astype(np.uint8)  # equalising needs more than 255 pixels
for name, pixels in images.items():
    out["images"].append({"name": name, "height": pixels.shape[0], "width": pixels.shape[1], "pixels": pixels.flatten().tolist()})
    for operation, level, result in cases(Image.fromarray(pixels)):
        if name == "large" and operation != "equalise":
            continue
        out["cases"].append({"image": name, "operation": operation, "level": level, "pixels": np.asarray(result).flatten().tolist()})
print("{" + ",\n".join(f'"{k}": ' + (json.dumps(v) if k == "pillow" else "[\n" + ",\n".join(json.dumps(e, separators=(",", ":")) for e in v) + "\n]") for k, v in out.items()) + "}")
