#!/usr/bin/env bash
# Proves on a machine with an NVIDIA GPU that the workbench computes there what it computes elsewhere, how fast, and what the
# paper's figures look like at their own size. docs/gpu.md tells how it's used.
#
#   scripts/gpu.sh prepare [FOLDER]              here: build the program and pack the data sets, by default into gpu/
#   scripts/gpu.sh put FOLDER...                 there: take what was brought, in any number of calls
#   scripts/gpu.sh run --minutes N --out FOLDER  there: agreement, benchmarks, then runs of the paper until the time is up;
#                                                --only PATTERN,... takes the steps of these names alone, such as 'figure-*'
#
# The machine needs no network and no Go. Work stands in NBBNN_GPU_WORK, by default ~/.cache/nbbnn-gpu; what was done isn't done
# again. NBBNN_GPU_TOY=1 makes everything tiny, for a test without a GPU.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="${NBBNN_GPU_WORK:-${HOME:-/tmp}/.cache/nbbnn-gpu}"
toy="${NBBNN_GPU_TOY:-}"
python="${PYTHON:-python3}"
grace=25  # seconds from asking a step to stop until it's killed
closing=15 # seconds for the summary
carried=65000000 # bytes that a call can carry, a little below 64 MiB
only='*'  # names of the steps of this call
failed=() # steps of this call

say() { printf 'gpu      %s\n' "$*" >&2; }
fail() { printf 'gpu.sh: %s\n' "$*" >&2; exit 1; }

# prepare builds the program with XLA and divides each data set into parts that a call can carry.
prepare() {
  local folder="${1:-$root/gpu}" packed="${NBBNN_PACKED:-$root/../shared/data}" room
  mkdir -p "$folder/program"
  say "builds   $folder/program/nbbnn.gz"
  (cd "$root" && CGO_ENABLED=1 go build -trimpath -ldflags=-s -o "$folder/program/nbbnn" ./cmd/nbbnn) ||
    fail "the program can't be built with XLA: it needs a C compiler and the C library's headers"
  gzip -9 -f "$folder/program/nbbnn"
  if [[ ! -d $packed/ciz ]]; then
    say "no packed data sets in $packed (NBBNN_PACKED names them): only the agreement check and the benchmarks can be run"
    return
  fi
  (cd "$packed/ciz" && GOFLAGS=-mod=mod GOWORK=off CGO_ENABLED=0 go build -ldflags=-s -o "$folder/program/ciz" .)
  room=$((carried - $(tree_size)))
  [[ $room -ge $((32 << 20)) ]] || fail "the tree has $(tree_size) bytes, which leaves a call only $room for a part: remove what git neither tracks nor ignores"
  pack_set "$folder" "$packed" $room cifar10 c10_train123.ciz c10_train45.ciz c10_test.ciz c10_labels.u8 cifar10_batches.meta.txt
  pack_set "$folder" "$packed" $room cifar100 c100.ciz c100_labels_coarse_fine.u8 fine_label_names.txt coarse_label_names.txt
  say "carry    $folder/program with the first part of one set, then each other part in a call of its own"
}

# tree_size is what travels with every call: the bytes of the files that git tracks, and of those that it doesn't ignore.
tree_size() {
  (cd "$root" && git ls-files -z --cached --others --exclude-standard | du -cb --files0-from=- 2> /dev/null | tail -n 1 | cut -f 1)
}

# pack_set divides a data set: the first part leaves room for the program, the others fill a call.
pack_set() {
  local folder="$1" packed="$2" room="$3" set="$4" first part
  shift 4
  rm -rf "$folder/$set"-?
  first=$((room - $(du -cb "$folder/program"/{nbbnn.gz,ciz} | tail -n 1 | cut -f 1)))
  [[ $first -gt 0 ]] || fail "the program takes more than the $room bytes that a call leaves for it: remove what git neither tracks nor ignores"
  tar -C "$packed" -cf "$folder/$set.tar" "$@"
  head -c $first "$folder/$set.tar" > "$folder/$set-part0"
  tail -c +$((first + 1)) "$folder/$set.tar" | split -b "$room" --numeric-suffixes=1 -a 1 - "$folder/$set-part"
  rm "$folder/$set.tar"
  for part in "$folder/$set-part"?; do
    mkdir "$folder/$set-${part: -1}"
    mv "$part" "$folder/$set-${part: -1}/"
  done
  find "$folder" -maxdepth 1 -name "$set-?" | wc -l > "$folder/program/$set.parts"
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

left() { echo $((deadline - SECONDS)); }

# chosen says whether --only names a step.
chosen() {
  local pattern patterns
  IFS=, read -ra patterns <<< "$only"
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2053
    [[ $1 != $pattern ]] || return 0
  done
  return 1
}

# step runs a command once: NAME LEAST MOST COMMAND..., where LEAST is the number of seconds below which it isn't begun, and MOST
# what it may take of this call, 0 for all that is left. What stops at the end of the time, saved, goes on with the next call.
# Its state is kept for the table.
step() {
  local name="$1" least="$2" most="$3" status=0 begun=$SECONDS
  shift 3
  chosen "$name" || return 0
  [[ ! -e $work/done/$name ]] || { say "has      $name"; return 0; }
  [[ $(left) -ge $least ]] || { say "leaves   $name for the next call: $(left) s are left, it asks for $least"; return 0; }
  [[ $most -gt 0 && $most -lt $(left) ]] || most="$(left)"
  say "runs     $name"
  timeout --foreground --preserve-status --signal=INT --kill-after=$grace "$most" "$@" > "$work/results/$name.out" 2> "$work/results/$name.log" || status=$?
  local state="FAILED with status $status"
  case $status in
    0) touch "$work/done/$name"; state=complete ;;
    75 | 130 | 137 | 143)
      if [[ $(left) -gt 0 && $((SECONDS - begun)) -ge $most ]]; then
        state="FAILED: it took more than the $most s that it may"
      elif [[ $status -eq 75 ]]; then
        state="saved for the next call"
      elif [[ $(left) -le 0 ]]; then
        state="stopped at the end of the time: the next call goes on from what was saved"
      fi ;;
  esac
  echo "$((SECONDS - begun))" >> "$work/results/$name.seconds"
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

# compare measures a network beside PyTorch, ours and theirs in one run; where there is no PyTorch, ours alone.
compare() {
  local network="$1" what images
  for what in train evaluate; do
    images=128
    [[ $what == train ]] || images=1024
    if [[ -z $toy ]] && "$python" -c 'import torch' 2> /dev/null; then
      step "peers-$what-$network" 90 300 "$work/nbbnn" bench peers --json --python "$python" --scripts "$root/bench" --device cuda \
        "${precision[@]}" --networks "$network" --what "$what" --images "$images" --rounds "${ROUNDS:-1}"
    else
      [[ -z $toy ]] || images=4
      step "bench-$what-$network" 30 150 "$work/nbbnn" bench "$what" --json --network "$network" --images "$images" --samples 4 \
        --steps "$steps" "${sizes[@]}" "${precision[@]}"
    fi
  done
}

# train trains a preset and evaluates it on all corruptions: NAME SET FLAGS...
train() {
  local name="$1" set="$2"
  shift 2
  step_on "$set" "$name" 90 0 "$work/nbbnn" train "$@" "${precision[@]}" --runs "$work/runs" --json
  if [[ -e $work/done/$name ]]; then
    step_on "$set" "$name-corruptions" 40 0 "$work/nbbnn" evaluate "$(run_of "$name")" --suite "$suite" "${few[@]}" --runs "$work/runs" --json
  fi
}

# run_of is the name of the run that a step has trained, from the card that it printed.
run_of() { "$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["run"])' "$work/results/$1.out" 2> /dev/null; }

# run_all proves that the GPU computes rightly, measures ResNet18 beside PyTorch, then makes the figure and trains the other
# runs, each of which goes on with every further call, and measures the other networks with what is left.
run_all() {
  local network gamma
  local steps=30 sizes=() precision=(--precision bfloat16) suite=all19 few=() figure=(--scale paper --seeds "${SEEDS:-3}")
  if [[ -n $toy ]]; then
    steps=2 sizes=(--width 4) precision=() suite=first8 few=(--images 4 --samples 2)
    figure=(--scale smoke --seeds 1 --width 4 --epochs 3 --train 64 --images 4 --samples 2)
  fi
  step agreement-allcnnc 30 150 "$work/nbbnn" agree --json --network allcnnc --width 8 --steps 20
  [[ -n $toy ]] || step agreement-resnet18 60 240 "$work/nbbnn" agree --json --network resnet18 --width 16 --steps 20
  compare resnet18
  step_on "$([[ -n $toy ]] || echo cifar10)" figure-03 40 0 "$work/nbbnn" figure 3 "${figure[@]}" "${precision[@]}" --runs "$work/runs" --out "$work/results/figure-03"
  if [[ -n $toy ]]; then
    train toy "" --network allcnnc --width 4 --data shapes10 --train 64 --batch 16 --epochs 2 --samples 2
    return
  fi
  train resnet18-cifar10 cifar10 --preset resnet18-cifar10
  train resnet18-cifar100 cifar100 --preset resnet18-cifar100
  for gamma in 0 40 80; do
    train "vgg16-cifar100-gamma-$gamma" cifar100 --preset vgg16-cifar100 --gamma "$gamma"
  done
  for network in allcnnc vgg16 preactresnet18; do
    compare "$network"
  done
}

run() {
  local minutes=9 out=""
  while [[ $# -gt 0 ]]; do
    case $1 in
      --minutes) minutes="${2:?--minutes takes a number}"; shift 2 ;;
      --out) out="${2:?--out takes a folder}"; shift 2 ;;
      --only) only="${2:?--only takes names of steps}"; shift 2 ;;
      *) fail "unknown argument $1: run takes --minutes, --out and --only" ;;
    esac
  done
  [[ -n $out ]] || fail "--out is missing: name the folder for the results"
  [[ -x $work/nbbnn ]] || fail "there is no program in $work: bring it with 'put'"
  deadline=$((SECONDS + 60 * minutes - grace - closing))
  mkdir -p "$out" "$work/results" "$work/done" "$work/runs"
  export NBBNN_DATA="$work/data"
  find_plugin
  name_libraries
  keep_choices
  check_engine
  run_all
  "$python" "$root/scripts/gpu_summary.py" "$work" "$out"
  say "wrote    $out/summary.md"
  [[ ${#failed[@]} -eq 0 ]] || fail "failed: ${failed[*]}; $out/summary.md has the last line of each"
}

case ${1:-} in
  prepare | put | run) command="$1"; shift; "$command" "$@" ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
