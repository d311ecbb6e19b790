#!/bin/bash
# Does one task of a sweep. `nbbnn sweep submit --engine hyperqueue` submits it; by hand:
#   hq submit --array 0-23 --cpus 2 --env NBBNN_MANIFEST=m.json deploy/hyperqueue/task.sh
# HyperQueue starts a task again if its worker is lost, and leaves other failures to us.

stopped=0
trap 'stopped=1; kill -TERM "$child" 2> /dev/null' TERM INT
failures=0
while true; do
	"${NBBNN_PROGRAM:-nbbnn}" run --manifest "$NBBNN_MANIFEST" --runs "${NBBNN_RUNS:-runs}" --chunk "${NBBNN_CHUNK:-1}" &
	child=$!
	while true; do
		wait "$child"
		status=$?
		kill -0 "$child" 2> /dev/null || break # else a signal ended wait
	done
	if [ "$stopped" = 1 ]; then exit "$status"; fi
	case $status in
	0 | 2) exit "$status" ;; # done; or no repetition helps
	75) ;;                   # another task does the point
	*)
		failures=$((failures + 1))
		if [ "$failures" -gt "${NBBNN_RETRIES:-2}" ]; then exit "$status"; fi
		;;
	esac
	sleep "${NBBNN_PAUSE:-10}"
done
