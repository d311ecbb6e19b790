# tempered.py RUNS compares q with the draws of the posterior that it aims at, as a table.
import glob
import json
import sys

import arviz
import numpy as np
from safetensors.numpy import load_file

rows = []
for path in glob.glob(f"{sys.argv[1]}/*/config.json"):
    config = json.load(open(path))
    if not config.get("posthoc", {}).get("chains") or not config["objective"]["gamma"]:
        continue  # trained, or not tempered
    parent = f"{sys.argv[1]}/{config['posthoc']['run']}"
    seed = json.load(open(f"{parent}/config.json"))["seed"]
    chains = load_file(path.replace("config.json", "checkpoint/latest.safetensors"))
    trained = load_file(f"{parent}/checkpoint/latest.safetensors")
    mean = np.concatenate([trained[f"phi.conv{i}.mean"][0] for i in range(1, 9)]).astype(float)
    sigma = chains["hook.chains.scale"].astype(float)  # of q
    warmup = config["training"]["epochs"] // 3
    draws = chains["hook.chains.positions"][:, 1 + warmup:].astype(float)
    diverged = chains["hook.chains.transitions"][:, warmup:, 1].sum()
    z = arviz.convert_to_dataset({"z": draws})
    std = draws.std(axis=(0, 1), ddof=1)
    ratio, shift = sigma / std, (mean - draws.mean(axis=(0, 1))) / std
    kl = ((ratio**2 + shift**2 - 1) / 2 - np.log(ratio)).sum()
    values = [*(arviz.rhat(z, method=kind).z.values.max() for kind in ("split", "folded")),
              arviz.ess(z).z.values.min(), np.log2(ratio).mean(),
              np.log2(std / config["posterior"]["prior_std"]).mean(), kl]
    rows.append([seed, *np.round(values, 4), int(diverged)])
print("seed,rhat,folded,effective,narrower,wider,kl,diverged")
for row in sorted(rows):
    print(*row, sep=",")
