"""Runs the training steps that `bench program` wrote, with JAX's client of XLA, and compares their losses with those of pure Go.

    python3 tools/gpu/program.py FOLDER [PLATFORM]

If our own binding to XLA doesn't work on a machine, this says whether XLA computes our steps rightly there, and how fast.
"""

import json
import pathlib
import sys
import time

import jax
import numpy as np
from jax._src import compiler
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir

TYPES = {'F32': np.float32, 'I32': np.int32, 'U32': np.uint32, 'U8': np.uint8}


def arguments_of(path):
    """The arguments, in the order of the program: their names begin with a number."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], 'little')
    entries = json.loads(data[8:8 + length])
    for name in sorted(name for name in entries if name != '__metadata__'):
        entry = entries[name]
        begin, end = entry['data_offsets']
        yield np.frombuffer(data[8 + length + begin:8 + length + end], TYPES[entry['dtype']]).reshape(entry['shape'])


def compiled(text, device):
    """The program on a device."""
    client = device.client
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        return client.compile_and_load(module, xla_client.DeviceList((device,)), options)


def main(folder, platform=None):
    folder = pathlib.Path(folder)
    expected = json.loads((folder / 'expected.json').read_text())
    device = jax.devices(platform)[0]
    started = time.perf_counter()
    program = compiled((folder / 'program.mlir').read_text(), device)
    built = time.perf_counter() - started
    arguments = [jax.device_put(value, device) for value in arguments_of(folder / 'arguments.safetensors')]
    seconds = []
    while len(seconds) < 5 and sum(seconds) < 20:
        started = time.perf_counter()
        results = program.execute_sharded(arguments).disassemble_into_single_device_arrays()
        loss = float(np.asarray(results[-2][0]))
        seconds.append(time.perf_counter() - started)
    want = sum(expected['losses'])
    off = abs(loss - want) / abs(want)
    steps = expected['steps']
    print(json.dumps({
        'device': str(device.device_kind), 'jax': jax.__version__, 'network': expected['network'], 'images': expected['images'],
        'samples': expected['samples'], 'steps': steps, 'compile_seconds': round(built, 3),
        'step_seconds': min(seconds) / steps, 'loss': loss / steps, 'pure_go': want / steps, 'off': off, 'tolerance': expected['tolerance'],
    }))
    return 0 if off <= expected['tolerance'] else 1  # NaN is off


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
