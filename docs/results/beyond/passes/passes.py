# passes.py SEED DATA draws the noise of SEED.onnx in four ways and prints the NLL of each as a table.
import sys

import numpy as np
import onnxruntime
from scipy.stats import norm, qmc

IMAGES, REPETITIONS, PASSES = 100, 8, 8
SETS = ["clean", "gaussian_noise", "defocus_blur", "fog", "contrast"]


def independent(rng, passes, latents):
    return rng.standard_normal((passes, latents))


def antithetic(rng, passes, latents):
    half = rng.standard_normal((passes // 2, latents))
    return np.concatenate([half, -half])


def stratified(rng, passes, latents):
    strata = rng.permuted(np.tile(np.arange(passes)[:, None], latents), axis=0)
    return norm.ppf((strata + rng.uniform(size=strata.shape)) / passes)


def sobol(rng, passes, latents):
    points = qmc.Sobol(latents, scramble=True, rng=rng).random(passes)
    return norm.ppf(np.clip(points, 1e-9, 1 - 1e-9))


seed = int(sys.argv[1])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(f"{seed}.onnx", options)
layers = [(i.name, i.shape[1]) for i in session.get_inputs()[1:]]
borders = np.cumsum([size for _, size in layers])
first = 500 * (seed - 1)
test = np.fromfile(f"{sys.argv[2]}/test_batch.bin", np.uint8).reshape(-1, 3073)[first:][:IMAGES]
labels = test[:, 0]


def images_of(name):
    if name == "clean":
        return test[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    levels = np.load(f"corrupted/{name}.npy")  # five severities
    return levels.reshape(5, -1, *levels.shape[1:])[2, first:][:IMAGES]


def predict(images, draw, passes, rng):
    """Returns the log-probabilities of the labels, [images, passes]."""
    result = []
    for at in range(0, IMAGES, 20):
        noise = np.concatenate([draw(rng, passes, borders[-1]) for _ in range(20)])
        inputs = dict(zip([name for name, _ in layers], np.split(noise, borders[:-1], axis=1)))
        inputs = {name: part.astype(np.float32) for name, part in inputs.items()}
        answer = session.run(None, {"images": images[at:at + 20], **inputs})[0]
        result.append(answer[np.arange(20), :, labels[at:at + 20]])
    return np.concatenate(result)


print("seed,set,draws,passes,repetition,image,nll")
for k, name in enumerate(SETS):
    images = images_of(name)
    for number, draw in enumerate([independent, antithetic, stratified, sobol]):
        rng = np.random.default_rng([seed, k, number])
        for passes in [PASSES, 2 * PASSES] if draw is independent else [PASSES]:
            for repetition in range(REPETITIONS):
                chosen = predict(images, draw, passes, rng)
                nll = np.log(passes) - np.logaddexp.reduce(chosen, axis=1)
                for image, value in enumerate(nll):
                    print(f"{seed},{name},{draw.__name__},{passes},{repetition},{first + image},"
                          f"{value:.6f}")
