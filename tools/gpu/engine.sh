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

# keep_choices lets XLA keep which algorithms it found to be the fastest, so that the next process needn't measure them again.
keep_choices() {
  local flag=xla_gpu_per_fusion_autotune_cache_dir plugin="${GOMLX_BACKEND#xla:}"
  plugin="${plugin%%,*}"
  [[ $plugin == *cuda* && ${XLA_FLAGS:-} != *$flag* ]] && grep -q $flag "$plugin" 2> /dev/null || return 0 # XLA ends at a flag that it doesn't know
  mkdir -p "$work/choices"
  export XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--$flag=$work/choices"
}

# check_engine opens the engine, and keeps what the machine says about itself.
check_engine() {
  { nvidia-smi; nproc; free -g; df -h "$work"; ldd --version; "$python" -m pip --disable-pip-version-check list; } > "$work/results/machine.txt" 2>&1 || true
  "$work/nbbnn" doctor --json > "$out/doctor.json" 2> "$out/doctor.log" && ! grep -q '"problem"' "$out/doctor.json" ||
    fail "the engine doesn't open: $(grep -h problem "$out/doctor.json" || cat "$out/doctor.log")"
}
