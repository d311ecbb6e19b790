"""One training step in PyTorch, timed: the same work as tools/bench train.

The gamma-ELBO with fresh noise for every row, and one step of SGD: Nesterov momentum and weight decay for the weights, neither
for the posterior. The images are on the device as bytes; the loss is read after every step.
"""

import torch
import torch.nn.functional as F

from common import arguments, autocast, compiled, memory, prepare, repeat, report, rows
from objective import regulariser

MOMENTUM, WEIGHT_DECAY = 0.9, 5e-4


def optimiser(network, rate):
    return torch.optim.SGD(
        [
            {"params": list(network.theta()), "lr": rate, "momentum": MOMENTUM, "nesterov": True, "weight_decay": WEIGHT_DECAY},
            {"params": list(network.phi()), "lr": rate},
        ],
        fused=True,
    )


def trainer(network, images, labels, options, gamma=0.0, rate=0.001):
    """A function that takes one step and returns its negative log-likelihood."""

    def loss(images, labels):
        with autocast(options):
            logits = network(rows(images, options.samples))
        nll = F.cross_entropy(logits.float(), labels.repeat_interleave(options.samples))
        return nll + regulariser(network, gamma) / options.images, nll

    loss = compiled(options, loss)
    sgd = optimiser(network, rate)

    def step(_):
        total, nll = loss(images, labels)
        sgd.zero_grad(set_to_none=True)
        total.backward()
        sgd.step()
        return nll.item()

    return step


def main():
    options = arguments(__doc__)
    network, images, labels = prepare(options)
    seconds = repeat(options, trainer(network.train(), images, labels, options))
    report("train", options, network, seconds, memory(options.device))


if __name__ == "__main__":
    main()
