"""Prints what XLA plans for a training step on an H200 that isn't there: kernels, convolutions, bytes that they move, memory.

    go test ./tools/gpu -run PlanOfAStep -args -steps "$PWD/out/program"   # writes program.mlir, which takes `make xla-cpu`
    python3 tools/gpu/plan.py out/program [BYTES] [--save FILE]
    python3 tools/gpu/plan.py FILE [BYTES]

The program is compiled ahead of time for a described GPU, so no GPU is needed: only JAX with its CUDA plugin, and the packages
nvidia-nvvm and nvidia-cuda-nvcc next to it. With BYTES it fails if a step moves more. Nothing is measured for the choice of
algorithms, so cuDNN's own memory isn't in the plan. --save keeps the plan as text, compressed, without what isn't counted. Such
a file is counted again without JAX.
"""

import argparse
import gzip
import importlib.util
import json
import math
import os
import pathlib
import re
import sys
import zlib

# What NVIDIA says of the H200 SXM, as XLA's GpuTargetConfigProto.
H200 = """
gpu_device_info {
  cuda_compute_capability { major: 9 minor: 0 }
  core_count: 132 fpus_per_core: 128 clock_rate_ghz: 1.98
  memory_bandwidth: 4800000000000 device_memory_size: 150754820096 l2_cache_size: 52428800
  threads_per_warp: 32 threads_per_block_limit: 1024 threads_per_core_limit: 2048
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  shared_memory_per_block: 49152 shared_memory_per_block_optin: 232448 shared_memory_per_core: 233472
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 10 patch: 0 }
device_description_str: "NVIDIA H200"
"""

WIDTHS = {'pred': 1, 'bf16': 2, 'f16': 2, 's16': 2, 'u16': 2, 's32': 4, 'u32': 4, 'f32': 4, 's64': 8, 'u64': 8, 'f64': 8}
NO_KERNELS = {'parameter', 'constant', 'get-tuple-element', 'tuple', 'bitcast', 'while', 'call', 'after-all', 'partition-id', 'replica-id'}
INSTRUCTION = re.compile(r'^\s+(?:ROOT )?%([\w.-]+) = (\(.*?\)|\S+) ([\w-]+)\((.*)$')


def size(shape):
    """The bytes of a shape, of all its parts if it's a tuple. Images, u8, count for nothing: a step reads a batch of them; nor does
    the workspace of cuBLAS, s8, most of which isn't touched."""
    return sum(WIDTHS.get(kind, 0) * math.prod(int(n) for n in numbers.split(',') if n)
               for kind, numbers in re.findall(r'\b([a-z]+\d*)\[([\d,]*)\]', re.sub(r'\{[^}]*\}', '', shape)))


def computations(text):
    """The instructions of each computation, by its name: (name, shape, operation, rest of the line)."""
    found, lines = {}, None
    for line in text.splitlines():
        if head := re.match(r'^(?:ENTRY )?%([\w.-]+) \(.*\{$', line):
            lines = found.setdefault(head[1], [])
        elif lines is not None and (match := INSTRUCTION.match(line)):
            lines.append(match.groups())
    return found


def slices(lines):
    """The bytes that a fusion reads of the parameters of which it takes nothing but slices, by their places."""
    found = {}
    for parameter, _, operation, rest in lines:
        if operation == 'parameter':
            users = [user for user in lines if parameter in operands(user[3])]
            if users and all(user[2] == 'slice' for user in users):
                found[int(rest.split(')')[0])] = sum(size(user[1]) for user in users)
    return found


def operands(rest):
    """The operands of an instruction, from what follows its opening bracket."""
    return re.findall(r'%([\w.-]+)', rest.split('), ')[0])


def count(found, name):
    """The kernels, convolutions and bytes of a computation and of those that it calls."""
    sizes, total = {}, [0, 0, 0]
    for instruction, shape, operation, rest in found[name]:
        sizes[instruction] = size(shape)
        if called := operation == 'call' and re.search(r'to_apply=%([\w.-]+)', rest):
            total = [a + b for a, b in zip(total, count(found, called[1]))]
        if operation in NO_KERNELS:
            continue
        places, read = [(argument, sizes.get(argument, 0)) for argument in operands(rest)], {}
        if fused := operation == 'fusion' and re.search(r'calls=%([\w.-]+)', rest):
            for place, part in slices(found.get(fused[1], [])).items():
                places[place] = places[place][0], min(places[place][1], part)
        for argument, part in places:  # an argument in two places is read once, in full if one of them reads it so
            read[argument] = max(read.get(argument, 0), part)
        total[0] += 1
        total[1] += '__cudnn$conv' in rest
        total[2] += sizes[instruction] + sum(read.values())
    return total


def step_of(found):
    """The computation of a step: the body of the loop over the steps, which has the most bytes."""
    bodies = {match[1] for lines in found.values() for *_, rest in lines if (match := re.search(r'body=%([\w.-]+)', rest))}
    if not bodies:
        sys.exit('plan.py: the program has no loop over steps: write it with --steps 2 or more')
    return max(bodies, key=lambda name: count(found, name)[2])


def compiled(text):
    """The program, compiled for a described H200."""
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir

    name = 'cuda'
    plugin = xla_client.load_pjrt_plugin_dynamically(name, str(plugin_path()))
    xla_client.initialize_pjrt_plugin(name)
    topology = xla_client.make_c_api_device_topology(plugin, 'h200', target_config=H200, topology='1x1x1')
    device = topology._make_compile_only_devices()[0]
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    with mlir.make_ir_context(), ir.Location.unknown():
        return device.client.compile(ir.Module.parse(text), xla_client.DeviceList((device,)), options)


def plugin_path():
    """The CUDA plugin: that in CUDA_PLUGIN, or of JAX's package."""
    if path := os.environ.get('CUDA_PLUGIN'):
        return pathlib.Path(path)
    spec = importlib.util.find_spec('jax_plugins')
    for folder in spec.submodule_search_locations if spec else []:
        for path in sorted(pathlib.Path(folder).glob('xla_cuda*/xla_cuda_plugin.so'), reverse=True):
            return path
    sys.exit('plan.py: there is no CUDA plugin: install jax[cuda13], or name it in CUDA_PLUGIN')


def planned(folder):
    """XLA's plan of the program in a folder, as text, and the bytes of memory that it takes."""
    os.environ.setdefault('JAX_PLATFORMS', 'cpu')
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    flags = ['--xla_gpu_autotune_level=0', '--xla_gpu_enable_triton_gemm=false', os.environ.get('XLA_FLAGS', '')]
    os.environ['XLA_FLAGS'] = ' '.join(flags).strip()
    program = compiled((folder / 'program.mlir').read_text())
    memory = program.get_compiled_memory_stats()
    return program.hlo_modules()[0].to_string(), memory.argument_size_in_bytes + memory.output_size_in_bytes + memory.temp_size_in_bytes


def save(text, path):
    """Writes a plan without the attributes that follow an instruction and aren't counted."""
    plain = re.sub(r', (?:metadata|backend_config|frontend_attributes)=\{.*', '', text)
    path.write_bytes(gzip.compress(plain.encode(), mtime=0))


def saved(path):
    """The text of a plan that save wrote."""
    try:
        return gzip.decompress(path.read_bytes()).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        sys.exit(f'plan.py: {path} is neither a folder with program.mlir nor a plan that --save wrote')


def main(arguments):
    parser = argparse.ArgumentParser(prog='plan.py', description='Print what XLA plans for a training step on a described H200.')
    parser.add_argument('program', type=pathlib.Path, help='folder with the steps in program.mlir, or a plan that --save wrote')
    parser.add_argument('most', type=float, nargs='?', metavar='BYTES', help='fail if a step moves more')
    parser.add_argument('--save', type=pathlib.Path, metavar='FILE', help='keep the plan of a folder, compressed')
    options = parser.parse_args(arguments)
    if options.program.is_dir():
        text, memory = planned(options.program)
    else:
        text, memory = saved(options.program), None
    if options.save:
        save(text, options.save)
    found = computations(text)
    kernels, convolutions, moved = count(found, step_of(found))
    print(json.dumps({
        'device': 'NVIDIA H200, described', 'kernels': kernels, 'convolutions': convolutions, 'bytes': moved, 'memory_bytes': memory,
    }))
    return 0 if options.most is None or moved <= options.most else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
