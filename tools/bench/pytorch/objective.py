"""The gamma-ELBO: cross-entropy with the prior N(1, std^2) and the lower bound on the entropy, both in nats."""

import math

import torch


def terms(layer, prior_std):
    """Cross-entropy and entropy bound of the posterior of one layer, with the reference's coefficient 1/16."""
    mean, sigma = layer.mean, layer.sigma()
    components = mean.shape[0]
    constant = 0.5 * math.log(2 * math.pi)
    cross_entropy = (constant + math.log(prior_std) + (sigma**2 + (mean - 1) ** 2) / (2 * prior_std**2)).sum(-1).mean()
    entropy = (sigma.log() + constant + 0.5).sum(-1).mean()
    if components > 1:
        variance = sigma[:, None] ** 2 + sigma[None] ** 2
        apart = (mean[:, None] - mean[None]) ** 2 / variance / 16
        spread = 0.5 * ((variance / 2).log() - sigma.log()[:, None] - sigma.log()[None])
        overlap = torch.logsumexp(-(apart + spread).sum(-1), -1)
        entropy = entropy - (overlap - math.log(components)).mean()
    return cross_entropy, entropy


def regulariser(network, gamma):
    """What the objective adds to the negative log-likelihood, before it is divided by the number of training images."""
    total = 0.0
    for layer in network.layers.values():
        cross_entropy, entropy = terms(layer, network.options["std"])
        total = total + cross_entropy - (1 + gamma) * entropy
    return total
