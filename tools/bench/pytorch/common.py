"""What the benchmarks of PyTorch share: flags, random images, the result as JSON with the names that tools/bench uses."""

import argparse
import json
import os
import resource
import statistics
import sys
import time

import torch

from networks import build


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--network", default="allcnnc", choices=["allcnnc", "vgg16", "resnet18", "preactresnet18"])
    parser.add_argument("--width", type=int, default=0, help="channels of the first layers; 0 means the published width")
    parser.add_argument("--images", type=int, default=32)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--components", type=int, default=1)
    parser.add_argument("--mode", default="out", choices=["out", "in", "both"])
    parser.add_argument("--classes", type=int, default=0, help="0 means 200 for preactresnet18, else 10")
    parser.add_argument("--side", type=int, default=0, help="side of the images; 0 means 64 for preactresnet18, else 32")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--precision", default="float32", choices=["float32", "bfloat16"])
    parser.add_argument("--compile", action="store_true", help="use torch.compile")
    options = parser.parse_args()
    tiny = options.network == "preactresnet18"
    options.classes = options.classes or (200 if tiny else 10)
    options.side = options.side or (64 if tiny else 32)
    torch.set_num_threads(os.cpu_count())
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.manual_seed(0)
    return options


def prepare(options):
    """The network in channels-last memory, and random uint8 images with labels on the device."""
    network = build(options.network, options.width, options.classes, options.mode, options.components)
    network = network.to(options.device, memory_format=torch.channels_last)
    images = torch.randint(0, 256, (options.images, 3, options.side, options.side), dtype=torch.uint8, device=options.device)
    labels = torch.randint(0, options.classes, (options.images,), device=options.device)
    return network, images.contiguous(memory_format=torch.channels_last), labels


def rows(images, samples):
    """Images normalised to mean 0 and standard deviation 1, each repeated for its samples."""
    x = (images.float() / 255 - 0.5) / 0.25
    return x.repeat_interleave(samples, 0).contiguous(memory_format=torch.channels_last)


def autocast(options):
    return torch.autocast(options.device, torch.bfloat16, enabled=options.precision == "bfloat16")


def compiled(options, function):
    """The function, compiled where that's asked for.

    Where it can't be, for want of a C compiler, say, the first call shows it: the function stays as it is, which is said aloud.
    """
    if not options.compile:
        return function
    fast, chosen = torch.compile(function), None

    def call(*arguments):
        nonlocal chosen
        if chosen:
            return chosen(*arguments)
        try:
            result, chosen = fast(*arguments), fast
            return result
        except Exception as problem:  # each part of the compiler has its own
            cause = next(iter(str(problem).splitlines()), type(problem).__name__)
            print(f"bench: torch.compile fails, so this is PyTorch without it: {cause}", file=sys.stderr)
        options.compile, chosen = False, function
        if options.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        return function(*arguments)

    return call


def repeat(options, step):
    """Seconds of each timed step."""
    seconds = []
    for index in range(options.warm_up + options.steps):
        started = time.perf_counter()
        step(index)
        if options.device == "cuda":
            torch.cuda.synchronize()
        if index >= options.warm_up:
            seconds.append(time.perf_counter() - started)
    return seconds


def memory(device):
    """The largest memory so far, in bytes: of this process, or what it had on the GPU."""
    if device == "cuda":
        return torch.cuda.max_memory_allocated()
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def report(what, options, network, seconds, peak_memory):
    quartiles = statistics.quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else seconds * 3
    result = {
        "what": what,
        "network": options.network,
        "width": next(iter(network.layers.values())).weights.shape[0],
        "side": options.side,
        "classes": options.classes,
        "images": options.images,
        "samples": options.samples,
        "components": options.components,
        "mode": options.mode,
        "precision": "" if options.precision == "float32" else options.precision,
        "parameters": sum(p.numel() for p in network.theta()),
        "steps": len(seconds),
        "median_seconds": quartiles[1],
        "seconds": {"median": quartiles[1], "first_quartile": quartiles[0], "third_quartile": quartiles[2],
                    "least": min(seconds), "most": max(seconds), "count": len(seconds)},
        "rows_per_second": options.images * options.samples / quartiles[1],
        "peak_memory_bytes": peak_memory,
        "engine": f"PyTorch {torch.__version__} ({options.device}, {options.precision}{', compiled' if options.compile else ''})",
        "cores": torch.get_num_threads(),
        "commit": torch.__version__,
    }
    if options.device == "cuda":
        result["device"] = torch.cuda.get_device_name()
    print(json.dumps(result))
