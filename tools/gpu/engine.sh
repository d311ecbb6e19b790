# shellcheck shell=bash disable=SC2154 # work, out and python are those of gpu.sh
# How gpu.sh finds the plugin of XLA and what that needs.

# find_plugin sets GOMLX_BACKEND to the plugin inside JAX's CUDA package, unless it's set.
find_plugin() {
  [[ -z ${GOMLX_BACKEND:-} ]] || { say "plugin   $GOMLX_BACKEND (GOMLX_BACKEND)"; return; }
  local plugin
  plugin="$("$python" - <<'PY'
import glob, importlib.util, os
spec = importlib.util.find_spec('jax_plugins')
for folder in (spec.submodule_search_locations if spec else []):
    for path in sorted(glob.glob(os.path.join(folder, 'xla_cuda*', 'xla_cuda_plugin.so')), reverse=True):
        print(os.path.realpath(path))
PY
)" || fail "$python doesn't run: PYTHON names another"
  plugin="${plugin%%$'\n'*}"
  [[ -n $plugin ]] || fail "$python has no JAX with CUDA: install jax[cuda13], or name a plugin with GOMLX_BACKEND=xla:/path/to/plugin.so"
  export GOMLX_BACKEND="xla:$plugin"
  say "plugin   $plugin"
}

# name_libraries lets the system find what the plugin's own path misses: NVIDIA's libraries beside it, of which cuDNN loads some
# when it needs them, and the driver's.
name_libraries() {
  local folders=(/usr/local/nvidia) plugin="${GOMLX_BACKEND#xla:}" libraries
  plugin="${plugin%%,*}" # options follow the first comma
  [[ $plugin != /* ]] || folders+=("$(dirname "$(dirname "$(dirname "$plugin")")")/nvidia")
  libraries="$({ find "${folders[@]}" -maxdepth 3 -type d -name 'lib*' 2> /dev/null || true; } | paste -sd: -)"
  [[ -z $libraries ]] || export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries" # an empty part would be this folder
}

# set_flag adds a flag of XLA that the plugin knows: XLA ends at one that it doesn't know. A user's own value stays.
set_flag() {
  local flag="$1" value="$2" plugin="${GOMLX_BACKEND#xla:}"
  plugin="${plugin%%,*}"
  [[ $plugin == *cuda* && ${XLA_FLAGS:-} != *$flag=* ]] && grep -qaw "$flag" "$plugin" 2> /dev/null || return 0
  export XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--$flag=$value"
}

# set_flags lets XLA keep which algorithms it found to be the fastest, so that the next process needn't measure them again, and
# lets it compile on all cores. Only the dense layers are matrix products, so Triton would be tuned for next to nothing.
set_flags() {
  mkdir -p "$work/choices"
  set_flag xla_gpu_per_fusion_autotune_cache_dir "$work/choices"
  set_flag xla_gpu_enable_llvm_module_compilation_parallelism true
  set_flag xla_gpu_force_compilation_parallelism "$(nproc)"
  set_flag xla_gpu_enable_triton_gemm false
}

# describe_machine keeps what the machine says about itself.
describe_machine() {
  { nvidia-smi; nproc; free -g; df -h "$work"; ldd --version; "$python" -m pip --disable-pip-version-check list; } > "$work/results/machine.txt" 2>&1 || true
}

# check_engine opens the engine with XLA's own log. If it doesn't open, JAX on the same plugin says whether the machine is to blame.
check_engine() {
  TF_CPP_MIN_LOG_LEVEL=0 "$work/nbbnn" doctor --json > "$work/results/doctor.json" 2> "$work/results/doctor.txt" && ! grep -q '"problem"' "$work/results/doctor.json" && return
  timeout 120 "$python" "$root/tools/gpu/jax_check.py" > "$work/results/jax.txt" 2>&1 || true
  say "JAX      $(tail -n 1 "$work/results/jax.txt")"
  fail "the engine doesn't open: $(grep -h problem "$work/results/doctor.json" || tail -n 1 "$work/results/doctor.txt"); results.tar.gz has doctor.txt and jax.txt"
}
