"""Check that PyTorch computes what nbbnn computes: the same number of parameters and, from the same weights and draws, the same losses.

tools/bench train --save FILE --json writes the file and prints the losses; this takes the same steps.
"""

import argparse
import json
import struct
import sys

import numpy as np
import torch

from networks import build
from train import trainer

TOLERANCE = 1e-3  # relative, of the loss of a step; steps add up rounding


def read(path):
    """The tensors of a safetensors file."""
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        header, data = json.loads(file.read(length)), file.read()
    types = {"F32": np.float32, "U8": np.uint8}
    return {
        name: torch.from_numpy(np.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"]).copy())
        for name, entry in header.items()
        if name != "__metadata__"
    }


def load(network, tensors):
    """Give the network the weights and the posterior of nbbnn, whose kernels are [height, width, in, out]."""
    with torch.no_grad():
        for name, layer in network.layers.items():
            weights = tensors[f"theta.{name.replace('/', '.')}.weights"]
            layer.weights.copy_(weights.permute(3, 2, 0, 1) if layer.kernel else weights.T)
            for own, ours in (("bias", "theta.{}.bias"), ("mean", "phi.{}.mean"), ("rho", "phi.{}.rho")):
                if getattr(layer, own) is not None:
                    getattr(layer, own).copy_(tensors[ours.format(name.replace("/", "."))])


def losses(network, tensors, result, steps):
    images = tensors["images"].permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
    options = argparse.Namespace(samples=result["samples"], images=result["images"], compile=False, precision="float32", device="cpu")
    step = trainer(network.train(), images, tensors["labels"].long(), options, rate=result["learning_rate"])
    for index in range(steps):
        for number, layer in enumerate(network.layers.values()):
            layer.draws = tensors[f"draws/{index}/{number}"]
        yield step(index)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="what tools/bench train --save wrote")
    parser.add_argument("result", help="what it printed")
    options = parser.parse_args()
    with open(options.result, encoding="utf-8") as file:
        result = json.load(file)
    tensors = read(options.file)
    network = build(result["network"], result["width"], result["classes"], result["mode"], result["components"])
    network = network.to(memory_format=torch.channels_last)
    load(network, tensors)
    parameters = sum(p.numel() for p in network.theta())
    if parameters != result["parameters"]:
        sys.exit(f"check: {result['network']} has {parameters} parameters in PyTorch and {result['parameters']} in nbbnn")
    for index, (theirs, ours) in enumerate(zip(losses(network, tensors, result, len(result["losses"])), result["losses"])):
        if abs(theirs - ours) > TOLERANCE * abs(ours):
            sys.exit(f"check: {result['network']} loses {theirs:.6f} at step {index + 1} in PyTorch and {ours:.6f} in nbbnn")
    print(f"check    {result['network']} {result['width']}: {parameters} parameters, {len(result['losses'])} steps with the same loss")


if __name__ == "__main__":
    main()
