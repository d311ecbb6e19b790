# modes.py RUNS asks the draws of each network whether they have more than one mode, as a table.
import glob
import json
import sys

import arviz
import diptest
import numpy as np
from safetensors.numpy import load_file

rows = []
for path in glob.glob(f"{sys.argv[1]}/*/config.json"):
    config = json.load(open(path))
    sampling = config.get("posthoc", {})
    if not sampling.get("jitter") or config["objective"]["gamma"]:
        continue  # trained, tempered, or with steps of one number
    parent = json.load(open(f"{sys.argv[1]}/{sampling['run']}/config.json"))
    if "posthoc" in parent:
        continue  # on MAP's weights
    tensors = load_file(path.replace("config.json", "checkpoint/latest.safetensors"))
    draws = tensors["hook.chains.positions"][:, 1 + config["training"]["epochs"] // 3:].astype(float)
    centred = draws - draws.mean(axis=(0, 1))
    component = np.linalg.svd(centred.reshape(-1, draws.shape[2]), full_matrices=False)[2][0]
    z = arviz.convert_to_dataset({"z": draws})
    effective = np.minimum(arviz.ess(z, method="mean").z, arviz.ess(z, method="sd").z)
    every = np.ceil(draws[..., 0].size / effective).astype(int).values  # draw of a chain stays
    p = [diptest.diptest(draws[:, k - 1::k, i].ravel())[1] for i, k in enumerate(every)]
    values = [np.quantile(arviz.rhat(z, method=kind).z, 0.95) for kind in ("split", "folded")] + [
        arviz.rhat(centred @ component, method="split"), np.median(effective), min(p),
        np.log2(draws.std(axis=(0, 1)) / config["posterior"]["prior_std"]).mean()]
    rows.append([sampling["leapfrog"], parent["objective"]["gamma"], parent["seed"],
                 *np.round(values, 4), len(p)])
print("steps,gamma,seed,rhat,folded,pc1,effective,p,width,latents")
for row in sorted(rows):
    print(*row, sep=",")
