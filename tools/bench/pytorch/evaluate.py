"""The prediction of images in PyTorch, timed: the same work as tools/bench evaluate, in batches of as many rows."""

import torch

from common import arguments, autocast, compiled, memory, prepare, repeat, report, rows

ROWS = {"cpu": 64, "cuda": 4096}  # of one forward pass, as ours


def predictor(network, images, options):
    """A function that predicts all images once: log-probabilities [images, samples, classes]."""
    batch = max(1, min(options.images, ROWS[options.device] // options.samples))

    def forward(images):
        with autocast(options):
            return network(rows(images, options.samples)).float().log_softmax(-1)

    forward = compiled(options, forward)

    @torch.inference_mode()
    def predict(_=0):
        parts = [forward(images[first : first + batch]) for first in range(0, len(images), batch)]
        return torch.cat(parts).view(len(images), options.samples, -1).cpu()

    return predict


def main():
    options = arguments(__doc__)
    network, images, _ = prepare(options)
    seconds = repeat(options, predictor(network.eval(), images, options))
    report("evaluate", options, network, seconds, memory(options.device))


if __name__ == "__main__":
    main()
