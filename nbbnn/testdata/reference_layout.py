"""Write small networks with the tensor names and layouts of the published PyTorch code, and what they answer.

    python nbbnn/testdata/reference_layout.py      (needs torch; was run with 2.15)

For each network of METHOD.md 1.2, two channels wide and with random parameters, it writes reference-NAME.safetensors, and
into reference-answers.json the log-probabilities of two images with latents of one and with the mean of their components.
"""
import json
import pathlib
import struct

import torch
from torch import nn
from torch.nn import functional as F

HERE = pathlib.Path(__file__).parent
WIDTH, CLASSES, COMPONENTS, SIDE = 2, 10, 2, 32
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
PRIOR_STD = 0.3


class Noisy(nn.Module):
    """A convolution or a dense layer whose inputs or outputs are multiplied by latents."""

    latents = "ones"

    def __init__(self, core, mode):
        super().__init__()
        self.weight, self.bias = core.weight, core.bias
        object.__setattr__(self, "core", core)
        self.mode = mode
        out, inputs = core.weight.shape[:2]
        size = {"in": inputs, "out": out, "both": inputs + out}[mode]
        shape = [COMPONENTS, size] + [1] * (core.weight.ndim - 2)
        self.posterior_U_mean = nn.Parameter(1 + 0.3 * torch.randn(shape))
        self.posterior_U_std = nn.Parameter(torch.randn(shape))
        self.prior_mean, self.prior_std = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(PRIOR_STD))

    def forward(self, x):
        if Noisy.latents == "ones":
            return self.core(x)
        latents = self.posterior_U_mean.mean(0)
        out, inputs = self.weight.shape[:2]
        if self.mode != "out":
            x = x * latents[:inputs].reshape(1, inputs, *latents.shape[1:])
        x = self.core(x)
        if self.mode != "in":
            x = x * latents[-out:].reshape(1, out, *latents.shape[1:])
        return x


def convolution(mode, inputs, out, kernel, stride=1, bias=False):
    return Noisy(nn.Conv2d(inputs, out, kernel, stride, kernel // 2, bias=bias), mode)


def dense(mode, inputs, out):
    return Noisy(nn.Linear(inputs, out), mode)


class AllCNNC(nn.Module):
    def __init__(self, mode):
        super().__init__()
        wide = 2 * WIDTH
        sizes = [(3, WIDTH, 1), (WIDTH, WIDTH, 1), (WIDTH, WIDTH, 2), (WIDTH, wide, 1), (wide, wide, 1), (wide, wide, 2), (wide, wide, 1)]
        for i, (inputs, out, stride) in enumerate(sizes):
            self.add_module(f"conv{i + 1}", convolution(mode, inputs, out, 3, stride, True))
        self.conv8 = convolution(mode, wide, CLASSES, 1, 1, True)

    def forward(self, x):
        x = x / torch.tensor([0.2023 / 0.2470, 0.1994 / 0.2435, 0.2010 / 0.2616]).reshape(1, 3, 1, 1)
        for layer in self.children():
            x = F.relu(layer(x))
        return x.mean((2, 3))


class VGG16(nn.Module):
    def __init__(self, mode):
        super().__init__()
        layers, inputs = [], 3
        for count, factor in ((2, 1), (2, 2), (3, 4), (3, 8), (3, 8)):
            for _ in range(count):
                layers += [convolution(mode, inputs, factor * WIDTH, 3, 1, True), nn.ReLU()]
                inputs = factor * WIDTH
            layers.append(nn.MaxPool2d(2))
        self.features = nn.ModuleList(layers)
        self.classifier = nn.ModuleList(
            [dense(mode, inputs, inputs), nn.ReLU(), dense(mode, inputs, inputs), nn.ReLU(), dense(mode, inputs, CLASSES)]
        )

    def forward(self, x):
        for layer in self.features:
            x = layer(x)
        x = x.flatten(1)
        for layer in self.classifier:
            x = layer(x)
        return x


class Block(nn.Module):
    def __init__(self, mode, inputs, out, stride):
        super().__init__()
        self.conv1, self.bn1 = convolution(mode, inputs, out, 3, stride), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = convolution(mode, out, out, 3), nn.BatchNorm2d(out)
        self.downsample = None
        if stride > 1 or inputs != out:
            self.downsample = nn.Sequential(convolution(mode, inputs, out, 1, stride), nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class PreActivation(nn.Module):
    def __init__(self, mode, inputs, out, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), convolution(mode, inputs, out, 3, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(out), convolution(mode, out, out, 3)
        if stride > 1 or inputs != out:
            self.shortcut = nn.Sequential(convolution(mode, inputs, out, 1, stride))

    def forward(self, x):
        active = F.relu(self.bn1(x))
        y = self.conv2(F.relu(self.bn2(self.conv1(active))))
        return y + (self.shortcut(active) if hasattr(self, "shortcut") else x)


def stages(block, mode):
    inputs = WIDTH
    for i, factor in enumerate((1, 2, 4, 8)):
        out, stride = factor * WIDTH, 1 if i == 0 else 2
        yield f"layer{i + 1}", nn.Sequential(block(mode, inputs, out, stride), block(mode, out, out, 1))
        inputs = out


class ResNet18(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.conv1, self.bn1 = convolution(mode, 3, WIDTH, 3), nn.BatchNorm2d(WIDTH)
        for name, stage in stages(Block, mode):
            self.add_module(name, stage)
        self.fc = dense(mode, 8 * WIDTH, CLASSES)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        for i in range(1, 5):
            x = getattr(self, f"layer{i}")(x)
        return self.fc(x.mean((2, 3)))


class PreActResNet18(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.conv1 = convolution(mode, 3, WIDTH, 3)
        for name, stage in stages(PreActivation, mode):
            self.add_module(name, stage)
        self.linear = dense(mode, 8 * WIDTH, CLASSES)

    def forward(self, x):
        x = self.conv1(x)
        for i in range(1, 5):
            x = getattr(self, f"layer{i}")(x)
        return self.linear(x.mean((2, 3)))


def randomise(network):
    """Give the normalisations values that aren't the initial ones, and weights that keep the two images apart."""
    normalised = any(isinstance(module, nn.BatchNorm2d) for module in network.modules())
    for module in network.modules():
        if isinstance(module, Noisy) and not normalised:
            module.weight.data *= 2.5
        if isinstance(module, nn.BatchNorm2d):
            module.weight.data.uniform_(0.5, 1.5)
            module.bias.data.normal_(0, 0.3)
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 1.5)


def save(path, tensors):
    """Write a safetensors file."""
    kinds = {torch.float32: "F32", torch.int64: "I64"}
    header, data = {}, b""
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].dtype != torch.int64, item[0])):
        raw = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": kinds[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def images():
    """Two images, [2, side, side, 3], by a rule that the Go test repeats."""
    count = 2 * SIDE * SIDE * 3
    index = torch.arange(count)
    pixels = (index * 7919 + index // 97 * 13) % 256
    return pixels.reshape(2, SIDE, SIDE, 3)


def answers(network):
    x = (images().permute(0, 3, 1, 2) / 255 - torch.tensor(MEAN).reshape(1, 3, 1, 1)) / torch.tensor(STD).reshape(1, 3, 1, 1)
    found = {}
    for latents in ("ones", "mean"):
        Noisy.latents = latents
        with torch.no_grad():
            found[latents] = F.log_softmax(network(x), -1).tolist()
    return found


def main():
    every = {}
    for name, kind, mode in (("allcnnc", AllCNNC, "in"), ("vgg16", VGG16, "both"), ("resnet18", ResNet18, "out"), ("preactresnet18", PreActResNet18, "both")):
        torch.manual_seed(7)
        network = kind(mode).eval()
        randomise(network)
        save(HERE / f"reference-{name}.safetensors", network.state_dict())
        every[name] = {"mode": mode, "components": COMPONENTS, "width": WIDTH, "prior_std": PRIOR_STD, **answers(network)}
    (HERE / "reference-answers.json").write_text(json.dumps(every) + "\n")


main()
