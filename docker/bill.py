#!/usr/bin/env python3
"""Look into an image's bill of materials: whether it names what people would ask about.

    cosign verify-attestation ... --type spdxjson IMAGE | docker/bill.py cpu
"""

import base64
import json
import sys

# Packages of Debian, of Python and of Go, by the target that has them first.
PACKAGES = {
    "cpu": ("tini", "jupyterlab", "github.com/gomlx/gomlx", "github.com/janpfeifer/gonb", "stdlib"),
    "cuda": ("jax-cuda13-plugin", "nvidia-cudnn-cu13"),
}


def bill(text):
    """Return the SPDX document in what cosign says about an attestation."""
    return json.loads(base64.b64decode(json.loads(text)["payload"]))["predicate"]


def main(target):
    """Return the exit status."""
    names = {package["name"] for package in bill(sys.stdin.readline())["packages"]}
    wanted = PACKAGES["cpu"] + (PACKAGES["cuda"] if target == "cuda" else ())
    missing = [name for name in wanted if name not in names]
    print(f"bill: {', '.join(missing)} missing" if missing else f"publish  the bill of materials names {len(names)} packages, {', '.join(wanted)} among them")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
