#!/bin/bash
# Does one task of a sweep. `nbbnn sweep submit --engine hyperqueue` submits it; by hand:
#   hq submit --array 0-23 --cpus 2 --env NBBNN_MANIFEST=m.json --env GOMAXPROCS=2 cmd/sweep/deploy/hyperqueue/task.sh
# HyperQueue starts a task again if its worker is lost, and leaves other failures to us.

exec 2>&1 # one log
export GOMAXPROCS="${GOMAXPROCS:-1}"
stopped=0
target="" # process that has not had the signal
pass() {
	if [ -n "$target" ]; then kill -TERM "$target" 2> /dev/null; fi
	target="" # a second signal would end nbbnn before it has saved
}
trap 'stopped=1; interrupted=1; pass' TERM # the worker died
trap 'stopped=1; interrupted=1' INT        # from HyperQueue, which sends it to nbbnn, too

# await runs a command, to which the signal is passed on, and returns its status.
await() {
	if [ "$stopped" = 1 ]; then return 75; fi
	"$@" &
	child=$! target=$!
	if [ "$stopped" = 1 ]; then pass; fi # the signal came before target was set
	local status=127 ended
	interrupted=1
	while [ "$interrupted" = 1 ]; do # a signal ends wait before the command ends
		interrupted=0
		wait "$child"
		ended=$?
		if [ "$ended" != 127 ]; then status=$ended; fi # 127: it was waited for already
	done
	target=""
	if [ "$stopped" = 1 ] && [ "$status" = 143 ]; then status=75; fi # it had not begun
	return "$status"
}

failures=0
while true; do
	await "${NBBNN_PROGRAM:-nbbnn}" sweep point --manifest "$NBBNN_MANIFEST" --runs "${NBBNN_RUNS:-runs}" --chunk "${NBBNN_CHUNK:-1}"
	status=$?
	if [ "$stopped" = 1 ]; then exit "$status"; fi
	case $status in
	0 | 65) exit "$status" ;; # done; or no repetition helps
	75) ;;                    # another task does the point
	*)
		failures=$((failures + 1))
		if [ "$failures" -gt "${NBBNN_RETRIES:-2}" ]; then exit "$status"; fi
		;;
	esac
	await sleep "${NBBNN_PAUSE:-10}"
done
