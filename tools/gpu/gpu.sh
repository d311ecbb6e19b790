#!/usr/bin/env bash
# Carries a program with its files to a machine with an NVIDIA GPU that has neither network nor Go, and runs a command there.
# README.md in this folder shows the calls.
#
#   tools/gpu/gpu.sh pack FOLDER FILE...                       here: pack files and folders into parts, FOLDER/part0 and so on
#   tools/gpu/gpu.sh put PART...                               there: take parts, in any number of calls, and unpack all
#   tools/gpu/gpu.sh run --minutes N --out FOLDER COMMAND...   there: run a command among the files until the time is up
#
# NBBNN_GPU_PART is the number of bytes of a part. Work is kept in NBBNN_GPU_WORK, by default ~/.cache/nbbnn-gpu.
set -euo pipefail
work="${NBBNN_GPU_WORK:-${HOME:-/tmp}/.cache/nbbnn-gpu}"
python="${PYTHON:-python3}"
newest_library=2.35 # the oldest version of the C library that the machine may have
grace=25            # seconds from asking the command to stop until it's killed
closing=15          # seconds for what comes back

say() { printf 'gpu      %s\n' "$*" >&2; }
fail() { printf 'gpu.sh: %s\n' "$*" >&2; exit 1; }

pack() {
  local folder="${1:?pack takes a folder and files}" file asked
  shift
  [[ $# -gt 0 ]] || fail "nothing is packed: name the program and its files"
  for file in "$@"; do
    [[ -e $file ]] || fail "$file isn't there"
    [[ -f $file ]] || continue
    asked="$({ grep -ao 'GLIBC_2\.[0-9]*' "$file" || true; } | sort -uV | tail -n 1)"
    [[ $(printf '%s\n' "${asked#GLIBC_}" $newest_library | sort -V | tail -n 1) == "$newest_library" ]] ||
      fail "$file asks for $asked, the GPU machine may have GLIBC_$newest_library: build on an older system"
  done
  mkdir -p "$folder"
  rm -f "$folder"/part[0-9][0-9]
  "$python" - "$@" <<'PY' | split -b "${NBBNN_GPU_PART:-48000000}" --numeric-suffixes -a 2 - "$folder/part"
import os, sys, tarfile
with tarfile.open(fileobj=sys.stdout.buffer, mode='w|xz') as archive:
    for path in sys.argv[1:]:
        archive.add(path, os.path.basename(os.path.normpath(path)))
PY
  find "$folder" -name 'part[0-9][0-9]' | wc -l > "$folder/count"
  say "carry    $(cat "$folder/count") parts in $folder, and the file count with one of them"
}

put() {
  local have want
  mkdir -p "$work/parts" "$work/files"
  cp -f -- "$@" "$work/parts/" || fail "a part isn't there: was it carried?"
  have="$(find "$work/parts" -name 'part[0-9][0-9]' | wc -l)" want="$(cat "$work/parts/count" 2> /dev/null || echo '?')"
  if [[ $have != "$want" ]]; then
    say "has      $have of $want parts"
    return
  fi
  cat "$work/parts"/part[0-9][0-9] | "$python" -c 'import sys, tarfile
with tarfile.open(fileobj=sys.stdin.buffer, mode="r|xz") as archive: archive.extractall(sys.argv[1])' "$work/files"
  rm -rf "$work/parts" # another pack may have fewer
  say "unpacked $work/files"
}

# find_plugin sets GOMLX_BACKEND to the plugin inside JAX's CUDA package, unless it's set.
find_plugin() {
  [[ -z ${GOMLX_BACKEND:-} ]] || return 0
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

run() {
  local minutes=9 out="" status=0
  while [[ ${1:-} == --* ]]; do
    case $1 in
      --minutes) minutes="${2:?--minutes takes a number}"; shift 2 ;;
      --out) out="${2:?--out takes a folder}"; shift 2 ;;
      *) fail "unknown argument $1: run takes --minutes, --out and a command" ;;
    esac
  done
  [[ -n $out ]] || fail "--out is missing: name the folder for the results"
  [[ $# -gt 0 ]] || fail "no command is given, as in ./nbbnn sweep run --manifest plan.json"
  [[ -d $work/files ]] || fail "there are no files in $work: bring them with 'put'"
  mkdir -p "$out" "$work/choices"
  out="$(cd "$out" && pwd)"
  find_plugin
  name_libraries
  # XLA keeps which algorithms it found to be the fastest, and compiles on all cores. Only the dense layers are matrix products,
  # so Triton would be tuned for next to nothing.
  set_flag xla_gpu_per_fusion_autotune_cache_dir "$work/choices"
  set_flag xla_gpu_enable_llvm_module_compilation_parallelism true
  set_flag xla_gpu_force_compilation_parallelism "$(nproc)"
  set_flag xla_gpu_enable_triton_gemm false
  cd "$work/files"
  export NBBNN_DATA="${NBBNN_DATA:-$work/files}" NBBNN_RUNS="$work/runs"
  say "runs     $* with $GOMLX_BACKEND"
  timeout --foreground --preserve-status --signal=INT --kill-after=$grace $((60 * minutes - grace - closing)) "$@" \
    > "$out/output.txt" 2> "$out/log.txt" || status=$?
  [[ ! -d $work/runs ]] || tar -C "$work" --exclude=checkpoint --exclude=lock -czf "$out/runs.tar.gz" runs
  case $status in
    0) say "wrote    $out" ;;
    75 | 130) say "stopped  what was saved goes on with the same call; wrote $out" ;;
    *) fail "status $status: $(tail -n 1 "$out/log.txt")" ;;
  esac
}

case ${1:-} in
  pack | put | run) command="$1"; shift; "$command" "$@" ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
