"""The four networks of the paper with noise in every layer, in PyTorch, for images [rows, 3, height, width] in channels-last memory.

A layer computes h = (W (x z) + b) s, where z and s are drawn for every row from the posterior, a mixture of K Gaussians:
row i uses component i mod K. Layers have the names that nbbnn gives them.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn


class NoisyLayer(nn.Module):
    """A convolution, or a dense layer where kernel is 0, with noise on its output, its input or both."""

    def __init__(self, inputs, outputs, kernel, stride=1, bias=True, mode="out", components=1, std=0.3):
        super().__init__()
        shape = (outputs, inputs, kernel, kernel) if kernel else (outputs, inputs)
        bound = 1 / math.sqrt(inputs * max(1, kernel * kernel))
        self.weights = nn.Parameter(torch.empty(shape).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(outputs).uniform_(-bound, bound)) if bias else None
        self.kernel, self.stride, self.mode, self.inputs = kernel, stride, mode, inputs
        latents = {"out": outputs, "in": inputs, "both": inputs + outputs}[mode]
        self.mean = nn.Parameter(1 + 0.05 * torch.randn(components, latents))
        self.rho = nn.Parameter(torch.log(torch.expm1((std + 0.02 * torch.randn(components, latents)).abs() + 1e-6)))
        self.draws = None  # [rows, latents], where somebody gives them; otherwise they are drawn

    def sigma(self):
        return F.softplus(self.rho)

    def latents(self, rows):
        """One draw for each row, as factors of the input and of the output."""
        draws = self.draws if self.draws is not None else torch.randn(rows, self.mean.shape[1], device=self.mean.device)
        rounds = -(-rows // self.mean.shape[0])
        mean, sigma = (v.repeat(rounds, 1)[:rows] for v in (self.mean, self.sigma()))
        draw = mean + sigma * draws
        if self.kernel:
            draw = draw[:, :, None, None]
        if self.mode == "out":
            return None, draw
        if self.mode == "in":
            return draw, None
        return draw[:, : self.inputs], draw[:, self.inputs :]

    def forward(self, x):
        z, s = self.latents(x.shape[0])
        if z is not None:
            x = x * z.to(x.dtype)
        if self.kernel:
            h = F.conv2d(x, self.weights, self.bias, stride=self.stride, padding=self.kernel // 2)
        else:
            h = F.linear(x, self.weights, self.bias)
        return h if s is None else h * s.to(h.dtype)


class Network(nn.Module):
    """A network that is a list of named layers and batch normalisations, and a forward pass that uses them."""

    def __init__(self, mode, components, std):
        super().__init__()
        self.layers, self.norms = nn.ModuleDict(), nn.ModuleDict()
        self.options = dict(mode=mode, components=components, std=std)

    def layer(self, name, *sizes, **options):
        self.layers[name] = NoisyLayer(*sizes, **options, **self.options)

    def norm(self, name, channels):
        self.norms[name] = nn.BatchNorm2d(channels)

    def theta(self):
        """The deterministic parameters."""
        for layer in self.layers.values():
            yield from (p for p in (layer.weights, layer.bias) if p is not None)
        for norm in self.norms.values():
            yield from norm.parameters()

    def phi(self):
        """The parameters of the posterior."""
        for layer in self.layers.values():
            yield from (layer.mean, layer.rho)


class AllCNNC(Network):
    def __init__(self, width, classes, published, **options):
        super().__init__(**options)
        wide, self.published = 2 * width, published
        shapes = [(3, width, 1), (width, width, 1), (width, width, 2), (width, wide, 1), (wide, wide, 1), (wide, wide, 2), (wide, wide, 1)]
        for i, (inputs, outputs, stride) in enumerate(shapes):
            self.layer(f"conv{i + 1}", inputs, outputs, 3, stride)
        self.layer("conv8", wide, classes, 1)
        scale = torch.tensor([0.2023 / 0.2470, 0.1994 / 0.2435, 0.2010 / 0.2616])
        self.register_buffer("scale", scale.view(1, 3, 1, 1))

    def forward(self, x):
        *hidden, last = self.layers.values()
        x = x / self.scale if self.published else x
        for layer in hidden:
            x = F.relu(layer(x))
        x = last(x)
        x = F.relu(x) if self.published else x
        return x.mean((2, 3))


class VGG16(Network):
    stages = [(2, 1), (2, 2), (3, 4), (3, 8), (3, 8)]

    def __init__(self, width, classes, **options):
        super().__init__(**options)
        inputs, count = 3, 0
        for convolutions, factor in self.stages:
            for _ in range(convolutions):
                count += 1
                self.layer(f"conv{count}", inputs, factor * width, 3)
                inputs = factor * width
        for i, outputs in enumerate((inputs, inputs, classes)):
            self.layer(f"dense{i + 1}", inputs, outputs, 0)

    def forward(self, x):
        layers = iter(self.layers.values())
        for convolutions, _ in self.stages:
            for _ in range(convolutions):
                x = F.relu(next(layers)(x))
            x = F.max_pool2d(x, 2)
        x = x.flatten(1)
        x = F.relu(next(layers)(x))
        x = F.relu(next(layers)(x))
        return next(layers)(x)


class ResNet18(Network):
    """ResNet18 with activations after the convolutions, or before them."""

    def __init__(self, width, classes, before=False, **options):
        super().__init__(**options)
        self.before, self.blocks = before, []
        self.layer("stem/conv", 3, width, 3, bias=False)
        if not before:
            self.norm("stem/norm", width)
        inputs = width
        for stage in range(4):
            for index in range(2):
                self.block(f"stage{stage + 1}/block{index + 1}/", inputs, width << stage, 2 if stage and not index else 1)
                inputs = width << stage
        self.layer("dense", inputs, classes, 0)

    def block(self, name, inputs, outputs, stride):
        self.layer(name + "conv1", inputs, outputs, 3, stride, bias=False)
        self.layer(name + "conv2", outputs, outputs, 3, bias=False)
        self.norm(name + "norm1", inputs if self.before else outputs)
        self.norm(name + "norm2", outputs)
        changes = stride != 1 or inputs != outputs
        if changes:
            self.layer(name + "shortcut", inputs, outputs, 1, stride, bias=False)
            if not self.before:
                self.norm(name + "shortcut_norm", outputs)
        self.blocks.append((name, changes))

    def forward(self, x):
        x = self.layers["stem/conv"](x)
        if not self.before:
            x = F.relu(self.norms["stem/norm"](x))
        for name, changes in self.blocks:
            x = self.forward_before(name, changes, x) if self.before else self.forward_after(name, changes, x)
        return self.layers["dense"](x.mean((2, 3)))

    def forward_after(self, name, changes, x):
        y = F.relu(self.norms[name + "norm1"](self.layers[name + "conv1"](x)))
        y = self.norms[name + "norm2"](self.layers[name + "conv2"](y))
        if changes:
            x = self.norms[name + "shortcut_norm"](self.layers[name + "shortcut"](x))
        return F.relu(y + x)

    def forward_before(self, name, changes, x):
        activation = F.relu(self.norms[name + "norm1"](x))
        y = self.layers[name + "conv1"](activation)
        y = self.layers[name + "conv2"](F.relu(self.norms[name + "norm2"](y)))
        return y + (self.layers[name + "shortcut"](activation) if changes else x)


def build(name, width, classes, mode, components):
    """The named network; width 0 means the published one."""
    stds = {"allcnnc": 0.32, "vgg16": 0.30, "resnet18": 0.40, "preactresnet18": 0.30}
    published = {"allcnnc": 96, "vgg16": 64, "resnet18": 64, "preactresnet18": 64}
    width = width or published[name]
    options = dict(mode=mode, components=components, std=stds[name])
    if name == "allcnnc":
        return AllCNNC(width, classes, width == published[name], **options)
    if name == "vgg16":
        return VGG16(width, classes, **options)
    return ResNet18(width, classes, before=name == "preactresnet18", **options)
