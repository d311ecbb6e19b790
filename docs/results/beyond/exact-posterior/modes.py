# modes.py RUNS asks the draws of each network whether they have more than one mode, as a table.
import glob
import json
import struct
import sys

import diptest
import numpy as np


def positions(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        stored = json.loads(file.read(size))["hook.chains.positions"]
        data = file.read()[slice(*stored["data_offsets"])]
    return np.frombuffer(data, "<f4").reshape(stored["shape"]).astype(float)


def mixing(draws):
    """Returns split R-hat and the effective draws of each column of [chains, draws, columns]."""
    half = draws.shape[1] // 2
    halves = np.concatenate([draws[:, :half], draws[:, -half:]])
    m, n, _ = halves.shape
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    total = within * (n - 1) / n + halves.mean(axis=1).var(axis=0, ddof=1)
    rho = np.array([1 - np.mean((halves[:, lag:] - halves[:, :n - lag])**2, axis=(0, 1))
                    / (2 * total) for lag in range(n)])
    pairs = np.minimum.accumulate(rho[0::2] + rho[1::2])  # Geyer's initial monotone sequence
    sums = np.maximum(pairs, 0).sum(axis=0)
    return np.sqrt(total / within), m * n / np.maximum(2 * sums - 1, 1 / np.log10(m * n))


def dip(draws, effective):
    """Returns Hartigan's p of a latent, [chains, draws] thinned to the effective ones."""
    every = int(np.ceil(draws.size / min(effective, draws.size)))
    return diptest.diptest(draws[:, every - 1::every].ravel())[1]


rows = []
for path in glob.glob(f"{sys.argv[1]}/*/config.json"):
    config = json.load(open(path))
    if "chains" not in config.get("posthoc", {}) or config["objective"]["gamma"]:
        continue  # trained, or tempered
    parent = json.load(open(f"{sys.argv[1]}/{config['posthoc']['run']}/config.json"))
    draws = positions(path.replace("config.json", "checkpoint/latest.safetensors"))
    draws = draws[:, 1 + config["training"]["epochs"] // 3:]
    centred = draws - draws.mean(axis=(0, 1))
    _, _, components = np.linalg.svd(centred.reshape(-1, draws.shape[-1]), full_matrices=False)
    (rhat, many), (folded, few) = mixing(draws), mixing(abs(draws - np.median(draws, (0, 1))))
    effective = np.minimum(many, few)  # of the mean, and of the distance from the median
    p = [dip(draws[..., i], effective[i]) for i in range(draws.shape[-1])]
    width = np.log2(draws.std(axis=(0, 1)) / config["posterior"]["prior_std"]).mean()
    values = [np.quantile(rhat, 0.95), np.quantile(folded, 0.95),
              mixing(centred @ components[:1].T)[0][0], np.median(effective), min(p), width]
    rows.append([config["posthoc"]["leapfrog"], parent["objective"]["gamma"], parent["seed"],
                 *np.round(values, 4), len(p)])
print("steps,gamma,seed,rhat,folded,pc1,effective,p,width,latents")
for row in sorted(rows):
    print(*row, sep=",")
