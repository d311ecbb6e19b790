#!/usr/bin/env bash
# Checks on a machine with an NVIDIA GPU that the workbench computes there what it computes elsewhere, measures how fast, and
# makes figures of the paper at their own size. README.md in this folder says how it's used.
#
#   tools/gpu/gpu.sh prepare [FOLDER]              here: build the programs and pack the data sets, by default into gpu/
#   tools/gpu/gpu.sh put FOLDER...                 there: take what was brought, in any number of calls
#   tools/gpu/gpu.sh run --minutes N --out FOLDER  there: agreement, benchmarks, then runs of the paper until the time is up;
#                                                --only PATTERN,... takes the steps of these names alone, such as 'figure-*'
#
# The machine needs no network and no Go. Work is kept in NBBNN_GPU_WORK, by default ~/.cache/nbbnn-gpu; what was done isn't done
# again. NBBNN_GPU_TOY=1 makes everything tiny, for a test without a GPU.
# shellcheck disable=SC1091,SC2034 # the files that it sources use its variables
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
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

source "$root/tools/gpu/pack.sh"   # prepare, put
source "$root/tools/gpu/engine.sh" # find_plugin, name_libraries, set_flags, describe_machine, check_engine
source "$root/tools/gpu/steps.sh"  # step, step_on
source "$root/tools/gpu/work.sh"   # run_all

# run does on the machine what the time allows, and writes the table.
run() {
  local minutes=9
  out="" # of the trap, too
  while [[ $# -gt 0 ]]; do
    case $1 in
      --minutes) minutes="${2:?--minutes takes a number}"; shift 2 ;;
      --out) out="${2:?--out takes a folder}"; shift 2 ;;
      --only) only="${2:?--only takes names of steps}"; shift 2 ;;
      *) fail "unknown argument $1: run takes --minutes, --out and --only" ;;
    esac
  done
  [[ -n $out ]] || fail "--out is missing: name the folder for the results"
  [[ -x $work/nbbnn && -x $work/bench && -x $work/agree ]] || fail "there is no program in $work: bring it with 'put'"
  deadline=$((SECONDS + 60 * minutes - grace - closing))
  mkdir -p "$out" "$work/results" "$work/done" "$work/runs"
  export NBBNN_DATA="$work/data"
  trap summarise EXIT # also if the engine doesn't open
  describe_machine
  find_plugin
  name_libraries
  set_flags
  check_engine
  run_all
  export_weights
  trap - EXIT
  summarise
  [[ ${#failed[@]} -eq 0 ]] || fail "failed: ${failed[*]}; $out/summary.md has the last line of each"
}

# summarise gathers what there is, so that the machine gives back the reason of a failure, too.
summarise() {
  "$python" "$root/tools/gpu/summary.py" "$work" "$out" || return
  say "wrote    $out/summary.md"
}

case ${1:-} in
  prepare | put | run) command="$1"; shift; "$command" "$@" ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
