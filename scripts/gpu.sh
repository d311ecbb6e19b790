#!/usr/bin/env bash
# Proves on a machine with an NVIDIA GPU that the workbench computes there what it computes elsewhere, how fast, and what the
# paper's figures look like at their own size. docs/gpu.md tells how it's used.
#
#   scripts/gpu.sh prepare [FOLDER]              here: build the program and pack the data sets, by default into gpu/
#   scripts/gpu.sh put FOLDER...                 there: take what was brought, in any number of calls
#   scripts/gpu.sh run --minutes N --out FOLDER  there: agreement, benchmarks, then runs of the paper until the time is up
#
# The machine needs no network and no Go. Work stands in NBBNN_GPU_WORK, by default ~/.cache/nbbnn-gpu; what was done isn't done
# again. NBBNN_GPU_TOY=1 makes everything tiny, for a test without a GPU.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="${NBBNN_GPU_WORK:-$HOME/.cache/nbbnn-gpu}"
toy="${NBBNN_GPU_TOY:-}"
python="${PYTHON:-python3}"
grace=30  # seconds from asking a step to stop until it's killed
failed=() # steps of this call

say() { printf 'gpu      %s\n' "$*" >&2; }
fail() { printf 'gpu.sh: %s\n' "$*" >&2; exit 1; }

# prepare builds the program with XLA and divides each data set into parts that a call of 64 MiB can carry.
prepare() {
  local folder="${1:-$root/gpu}" packed="${NBBNN_PACKED:-$root/../shared/data}" set
  mkdir -p "$folder/program"
  say "builds   $folder/program/nbbnn.gz"
  (cd "$root" && CGO_ENABLED=1 go build -trimpath -ldflags=-s -o "$folder/program/nbbnn" ./cmd/nbbnn) ||
    fail "the program can't be built with XLA: it needs a C compiler and the C library's headers"
  gzip -9 -f "$folder/program/nbbnn"
  if [[ ! -d $packed/ciz ]]; then
    say "no packed data sets in $packed (NBBNN_PACKED names them): only the agreement check and the benchmarks can be run"
    return
  fi
  (cd "$packed/ciz" && GOFLAGS=-mod=mod GOWORK=off CGO_ENABLED=0 go build -o "$folder/program/ciz" .)
  pack_set "$folder" "$packed" cifar10 c10_train123.ciz c10_train45.ciz c10_test.ciz c10_labels.u8 cifar10_batches.meta.txt
  pack_set "$folder" "$packed" cifar100 c100.ciz c100_labels_coarse_fine.u8 fine_label_names.txt coarse_label_names.txt
  say "carry    $folder/program with the first part, then the other parts $folder/cifar*-?, one a call"
}

pack_set() {
  local folder="$1" packed="$2" set="$3" part
  shift 3
  rm -rf "$folder/$set"-?
  tar -C "$packed" -cf - "$@" | split -b 46100000 -d -a 1 - "$folder/$set-part"
  for part in "$folder/$set-part"?; do
    mkdir "$folder/$set-${part: -1}"
    mv "$part" "$folder/$set-${part: -1}/"
  done
  ls -d "$folder/$set"-? | wc -l > "$folder/program/$set.parts"
}

# put copies what was brought to the work folder, and unpacks a data set when its last part is there.
put() {
  mkdir -p "$work/parts" "$work/data"
  local folder set
  for folder in "$@"; do
    [[ -d $folder ]] || fail "$folder isn't there: was it carried?"
    cp -f "$folder"/* "$work/parts/"
  done
  if [[ -f $work/parts/nbbnn.gz ]]; then
    gzip -dc "$work/parts/nbbnn.gz" > "$work/nbbnn.new" && chmod +x "$work/nbbnn.new" && mv "$work/nbbnn.new" "$work/nbbnn"
  fi
  for set in cifar10 cifar100; do
    local have want
    have="$(find "$work/parts" -name "$set-part?" | wc -l)" want="$(cat "$work/parts/$set.parts" 2> /dev/null || echo 0)"
    if [[ $have -gt 0 && $have -eq $want && ! -e $work/data/$set.done ]]; then
      say "unpacks  $set"
      cat "$work/parts/$set"-part? | tar -C "$work/parts" -xf -
      chmod +x "$work/parts/ciz"
      "$python" "$root/scripts/gpu_data.py" "$set" "$work/parts" "$work/data"
      touch "$work/data/$set.done"
    else
      say "has      $have of $want parts of $set"
    fi
  done
}

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

# check_engine opens the engine, and once more with NVIDIA's libraries named where the first attempt misses one.
check_engine() {
  "$work/nbbnn" doctor --json > "$out/doctor.json" 2> "$out/doctor.log" && ! grep -q '"problem"' "$out/doctor.json" && return
  local folders=(/usr/local/nvidia) plugin="${GOMLX_BACKEND#xla:}" libraries
  plugin="${plugin%%,*}" # options follow the first comma
  [[ $plugin != /* ]] || folders+=("$(dirname "$(dirname "$(dirname "$plugin")")")/nvidia")
  libraries="$({ find "${folders[@]}" -maxdepth 3 -type d -name 'lib*' 2> /dev/null || true; } | paste -sd: -)"
  export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  say "tries again with LD_LIBRARY_PATH=$LD_LIBRARY_PATH"
  "$work/nbbnn" doctor --json > "$out/doctor.json" 2> "$out/doctor.log" && ! grep -q '"problem"' "$out/doctor.json" ||
    fail "the engine doesn't open: $(grep -h problem "$out/doctor.json" || cat "$out/doctor.log")"
}

left() { echo $((deadline - SECONDS)); }

# step runs a command once: NAME LEAST COMMAND..., where LEAST is the number of seconds below which it isn't begun. What stops
# at the end of the time, saved, goes on with the next call. Its state is kept for the table.
step() {
  local name="$1" least="$2" status=0
  shift 2
  [[ ! -e $work/done/$name ]] || { say "has      $name"; return 0; }
  [[ $(left) -ge $least ]] || { say "leaves   $name for the next call: $(left) s are left, it asks for $least"; return 0; }
  say "runs     $name"
  timeout --foreground --preserve-status --signal=INT --kill-after=$grace "$(left)" "$@" > "$work/results/$name.out" 2> "$work/results/$name.log" || status=$?
  local state="FAILED with status $status"
  case $status in
    0) touch "$work/done/$name"; state=complete ;;
    75) state="saved for the next call" ;;
    130 | 137 | 143) [[ $(left) -gt 0 ]] || state="stopped at the end of the time: the next call goes on from what was saved" ;;
  esac
  echo "$state" > "$work/results/$name.status"
  case $state in
    complete) ;;
    FAILED*) failed+=("$name"); say "FAILED   $name${state#FAILED}: $(tail -n 1 "$work/results/$name.log")" ;;
    *) say "stops    $name: $state" ;;
  esac
}

# step_on is a step that needs a data set, which was brought or not; "" needs none.
step_on() {
  local set="$1"
  shift
  if [[ -n $set && ! -e $work/data/$set.done ]]; then
    say "leaves   $1 out: $set wasn't brought"
    return 0
  fi
  step "$@"
}

agreement() { # precision of 19 bits in matrix products would hide an error, so it's off here
  exec env NVIDIA_TF32_OVERRIDE=0 GOMLX_BACKEND="$GOMLX_BACKEND$([[ $GOMLX_BACKEND == *cuda* ]] && echo ,tf32=false || true)" "$work/nbbnn" agree --json "$@"
}

run_all() {
  local network
  local images=128 steps=30 sizes=() precision=(--precision bfloat16) figure=(--scale paper --seeds "${SEEDS:-3}")
  if [[ -n $toy ]]; then
    images=4 steps=2 sizes=(--width 4) precision=() figure=(--scale smoke --seeds 1 --width 4 --epochs 3 --train 64 --images 4 --samples 2)
  fi
  export -f agreement
  export work
  step agreement-allcnnc 30 bash -c 'agreement --network allcnnc --width 8 --steps 20'
  [[ -n $toy ]] || step agreement-resnet18 60 bash -c 'agreement --network resnet18 --width 16 --steps 20'
  for network in resnet18 $([[ -n $toy ]] || echo allcnnc vgg16 preactresnet18); do
    step "bench-$network" 60 "$work/nbbnn" bench train --json --network "$network" --images "$images" --samples 4 --steps "$steps" "${sizes[@]}" "${precision[@]}"
    if [[ -z $toy && -f $root/bench/train.py ]]; then
      step "torch-$network" 60 "$python" "$root/bench/train.py" --device cuda --precision bfloat16 --compile --network "$network" --images "$images" --samples 4 --steps "$steps"
    fi
  done
  step_on "$([[ -n $toy ]] || echo cifar10)" figure-03 40 "$work/nbbnn" figure 3 "${figure[@]}" "${precision[@]}" --runs "$work/runs" --out "$work/results/figure-03"
  [[ -z $toy ]] || return 0
  step_on cifar10 resnet18-cifar10 60 "$work/nbbnn" train --preset resnet18-cifar10 "${precision[@]}" --runs "$work/runs" --json
  step_on cifar100 resnet18-cifar100 60 "$work/nbbnn" train --preset resnet18-cifar100 "${precision[@]}" --runs "$work/runs" --json
  for gamma in 0 40 80; do
    step_on cifar100 "vgg16-cifar100-gamma-$gamma" 60 "$work/nbbnn" train --preset vgg16-cifar100 --gamma "$gamma" "${precision[@]}" --runs "$work/runs" --json
  done
}

run() {
  local minutes=9 out=""
  while [[ $# -gt 0 ]]; do
    case $1 in
      --minutes) minutes="${2:?--minutes takes a number}"; shift 2 ;;
      --out) out="${2:?--out takes a folder}"; shift 2 ;;
      *) fail "unknown argument $1: run takes --minutes and --out" ;;
    esac
  done
  [[ -n $out ]] || fail "--out is missing: name the folder for the results"
  [[ -x $work/nbbnn ]] || fail "there is no program in $work: bring it with 'put'"
  deadline=$((SECONDS + 60 * minutes - grace - 30)) # a step that doesn't stop, and the summary
  mkdir -p "$out" "$work/results" "$work/done" "$work/runs"
  export NBBNN_DATA="$work/data"
  find_plugin
  check_engine
  run_all
  "$python" "$root/scripts/gpu_summary.py" "$work" "$out"
  say "wrote    $out/summary.md"
  [[ ${#failed[@]} -eq 0 ]] || fail "failed: ${failed[*]}; $out/summary.md has the last line of each"
}

case ${1:-} in
  prepare | put | run) command="$1"; shift; "$command" "$@" ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
