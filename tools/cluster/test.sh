#!/bin/bash
# Does 24 tiny points on Slurm, on HyperQueue and with Snakemake, two at a time, while tasks are requeued,
# killed and drained, and compares the results with those of the same points done in turn.
# Needs root and Debian's slurm-wlm and munge for Slurm. For HyperQueue it needs HQ_PYTHON, a Python with
# PyPI's hyperqueue, or HQ, the program hq, with which it also kills a worker and tests the submission.
# For Snakemake it needs snakemake on the PATH.
set -euo pipefail
cd "$(dirname "$0")/../.."
nbbnn="${NBBNN:-bin/nbbnn}"
case $nbbnn in /*) ;; *) nbbnn="$PWD/$nbbnn" ;; esac
place="${CLUSTER_PLACE:-$(mktemp -d)}"
hq_python="${HQ_PYTHON:-.cache/hyperqueue/bin/python}"
manifest="$place/m.json"
points=24 epochs=2
export GOMAXPROCS=1

fail() { echo "test-cluster: $*" >&2; exit 1; }
[ -x "$nbbnn" ] || fail "there's no $nbbnn: make build"

# wait_for repeats a command each second until it succeeds, for at most five minutes.
wait_for() {
	for _ in $(seq 300); do
		if "$@"; then return; fi
		sleep 1
	done
	fail "waited five minutes for: $*"
}

count() { "$nbbnn" sweep status --manifest "$manifest" --runs "$1" | sed -n "s/^sweep .* \([0-9]*\) $2.*/\1/p" | grep . || echo 0; }
at_least() { [ "$(count "$1" "$2")" -ge "$3" ]; }

# holder prints the process of a point that is being trained.
holder() { cat "$1"/*/lock 2> /dev/null | sed -n 1p | cut -d ' ' -f 1; }
is_held() { [ -n "$(holder "$1")" ]; }

# kill_holder kills such a process. It fails if the point ended meanwhile, which takes its lock away.
kill_holder() { victim=$(holder "$runs") && [ -n "$victim" ] && kill -KILL "$victim" 2> /dev/null; }

# check compares the cards of a folder with those of the points that were done in turn.
check() {
	[ "$(ls "$1"/*/card.json | wc -l)" -eq "$points" ] || fail "$1 has not $points cards"
	for turn in "$place"/turn/*/; do
		run="$1/$(basename "$turn")"
		[ "$(wc -l < "$run/train.jsonl")" -eq $((epochs + 1)) ] || fail "$run has lost or repeated epochs"
		cmp -s <(sed 's/"seconds":[^}]*//' "$turn/train.jsonl") <(sed 's/"seconds":[^}]*//' "$run/train.jsonl") || fail "$run has another history"
		cmp -s "$turn/cells.csv" "$run/cells.csv" || fail "$run has other cells"
		[ "$(grep state_sha256 "$turn/card.json")" = "$(grep state_sha256 "$run/card.json")" ] || fail "$run has other weights"
	done
	echo "check    $points cards, no epoch lost or repeated, bit for bit as in turn   $1"
}

# What is missing is said before anything is computed.
try_slurm=true try_python=true try_submission=true try_snakemake=true
for program in slurmctld slurmd sbatch munged; do
	command -v $program > /dev/null || no_slurm="$program"
done
if [ -n "${no_slurm:-}" ]; then
	try_slurm=false
	echo "cluster  no $no_slurm: Slurm was NOT TESTED (Debian: apt install slurm-wlm munge)"
elif [ "$(id -u)" != 0 ]; then
	try_slurm=false
	echo "cluster  Slurm was NOT TESTED: that needs root"
fi
if ! "$hq_python" -c 'import hyperqueue' 2> /dev/null; then
	try_python=false
	echo "cluster  no hyperqueue in $hq_python: HyperQueue was NOT TESTED in Python"
fi
if ! command -v "${HQ:-hq}" > /dev/null; then
	try_submission=false
	echo "cluster  no ${HQ:-hq}: hq submit is left out (PyPI has none; see the releases of HyperQueue)"
fi
if ! command -v snakemake > /dev/null; then
	try_snakemake=false
	echo "cluster  no snakemake: Snakemake was NOT TESTED (PyPI: snakemake)"
fi
if ! $try_slurm && ! $try_python && ! $try_submission && ! $try_snakemake; then
	[ -n "${CLUSTER_PLACE:-}" ] || rm -rf "$place"
	exit 0
fi

"$nbbnn" sweep plan --network allcnnc --width 4 --data shapes10 --train "${CLUSTER_TRAIN:-256}" --test 64 --batch 32 --epochs "$epochs" --init-std 0.32 \
	--gamma 0,1,2,4 --seeds 1..6 --suite fog --evaluation-samples 2 --evaluation-images 32 --manifest "$manifest"
"$nbbnn" sweep run --manifest "$manifest" --runs "$place/turn" --parallel "${CLUSTER_PARALLEL:-2}" 2> "$place/turn.log" || fail "in turn: $(tail -n 3 "$place/turn.log")"

if $try_slurm; then . tools/cluster/slurm.sh; fi
if $try_python; then
	"$hq_python" tools/cluster/on_hyperqueue.py "$nbbnn" "$manifest" "$place/python" "$points" "$place" > "$place/hq.log" 2>&1 || fail "hyperqueue: $(tail -n 5 "$place/hq.log")"
	check "$place/python"
fi
if $try_submission; then . tools/cluster/hyperqueue.sh; fi
if $try_snakemake; then
	mkdir "$place/bin" && ln -s "$nbbnn" "$place/bin/nbbnn" # Snakemake's jobs call it by this name
	runs="$place/snakemake"
	PATH="$place/bin:$PATH" snakemake --snakefile cmd/sweep/deploy/snakemake/Snakefile --directory "$place" --cores 2 \
		--config "manifest=$manifest" "runs=$runs" > "$place/snakemake.log" 2>&1 &
	wait_for kill_holder # Snakemake starts the point again
	echo "snakemake killed process $victim"
	wait $! || fail "snakemake: $(tail -n 5 "$place/snakemake.log")"
	check "$runs"
fi
[ -n "${CLUSTER_PLACE:-}" ] || rm -rf "$place"
