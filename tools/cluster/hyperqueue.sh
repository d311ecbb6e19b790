# Part of test.sh: starts HyperQueue's server with two workers on the loopback, submits a sweep with
# `nbbnn sweep submit`, and disturbs it.
hq="$(command -v "${HQ:-hq}")"
mkdir -p "$place/hq"
ln -sf "$hq" "$place/hq/hq" # nbbnn calls it by this name
export HQ_SERVER_DIR="$place/hq/server" PATH="$place/hq:$PATH"
runs="$place/hyperqueue"
workers=()
stop_hyperqueue() {
	hq server stop > /dev/null 2>&1 || true
	kill "${workers[@]}" "$server" 2> /dev/null || true
}
trap stop_hyperqueue EXIT
hq server start --host=127.0.0.1 > "$place/hq/server.log" 2>&1 &
server=$!
is_up() { hq server info > /dev/null 2>&1; }
wait_for is_up
start_worker() {
	NBBNN_PAUSE=1 hq worker start --cpus=1 > "$place/hq/worker-${#workers[@]}.log" 2>&1 &
	workers+=($!)
}
start_worker
start_worker
echo "hq       $(hq --version), server $server, workers ${workers[*]}"

submit() { (cd "$place" && "$nbbnn" sweep submit --engine hyperqueue --manifest "$manifest" --runs "$runs" --cpus 1); }
submit
wait_for at_least "$runs" done 4
wait_for kill_holder
echo "hq       killed process $victim"
wait_for at_least "$runs" done 8
kill -KILL "${workers[0]}" # another worker starts its task again
echo "hq       killed worker ${workers[0]}"
start_worker
wait_for at_least "$runs" done 12
hq job cancel all > /dev/null
echo "hq       cancelled the job"
submit
wait_for at_least "$runs" done "$points"
timeout 120 hq job wait last > /dev/null || fail "HyperQueue's second job failed or doesn't end: $(hq job list --all)"
submit # everything is done
timeout 120 hq job wait last > /dev/null || fail "HyperQueue's third job failed or doesn't end: $(hq job list --all)"
check "$runs"
stop_hyperqueue
trap - EXIT
