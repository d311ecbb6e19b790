# Part of test.sh: starts Slurm with one node on the loopback, and disturbs a sweep on it.
runs="$place/slurm-runs"
slurm="$place/slurm"
mkdir -p "$slurm/state" "$slurm/spool"
chmod 755 "$place" "$slurm"
node=$(uname -n | cut -d . -f 1)
port=$((20000 + RANDOM % 10000))
export SLURM_CONF="$slurm/slurm.conf"
cat > "$SLURM_CONF" << END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
KillWait=10
NodeName=$node NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
END
stop_slurm() {
	squeue --noheader --format=%A 2> /dev/null | sort -u | xargs --no-run-if-empty scancel 2> /dev/null || true
	for file in "$slurm"/slurmd.pid "$slurm"/slurmctld.pid "$slurm"/munged.pid; do
		[ ! -s "$file" ] || kill "$(cat "$file")" 2> /dev/null || true
	done
}
trap stop_slurm EXIT
(umask 077 && head -c 1024 /dev/urandom > "$slurm/munge.key")

# start_slurm fails if the node isn't idle after a minute, as where the host's name has no address.
start_slurm() {
	munged --force --socket="$slurm/munge.socket" --key-file="$slurm/munge.key" --pid-file="$slurm/munged.pid" \
		--log-file="$slurm/munged.log" --seed-file="$slurm/munged.seed" 2> "$slurm/munged.start" || return
	slurmctld -c 2> "$slurm/slurmctld.start" || return
	slurmd -N "$node" 2> "$slurm/slurmd.start" || slurmd 2>> "$slurm/slurmd.start" || return
	for _ in $(seq 60); do
		if sinfo --noheader --format=%t 2> /dev/null | grep -q '^idle'; then return; fi
		sleep 1
	done
	return 1
}
submit() { "$nbbnn" sweep submit --engine slurm --manifest "$manifest" --runs "$runs" --parallel 2 --cpus 1; }

# requeue_one requeues a task that is running. It fails if the task ended meanwhile.
requeue_one() {
	task=$(squeue --noheader --states=RUNNING --format=%A | sed -n 1p)
	[ -n "$task" ] && scontrol requeue "$task"
}

# hurry starts requeued tasks, which Slurm lets wait for two minutes.
hurry() {
	squeue --noheader --format='%i %r' | awk '$2 == "BeginTime" { print $1 }' | while read -r task; do
		scontrol update "JobId=$task" StartTime=now || true
	done
}
is_done() { hurry && at_least "$runs" done "$points"; }
is_empty() { hurry && [ -z "$(squeue --noheader)" ]; }
is_drained() { sinfo --noheader --format=%t | grep -q '^drain$\|^drained'; }

disturb_slurm() {
	echo "slurm    $(sinfo --version), node $node"
	submit
	wait_for is_held "$runs"
	wait_for requeue_one
	echo "slurm    requeued job $task"
	wait_for at_least "$runs" done 4
	wait_for kill_holder
	echo "slurm    killed process $victim"
	wait_for at_least "$runs" done 8
	scontrol update "NodeName=$node" State=DRAIN Reason=test
	echo "slurm    drained $node"
	wait_for is_drained
	scontrol update "NodeName=$node" State=RESUME
	wait_for is_done
	wait_for is_empty
	submit # everything is done
	wait_for is_empty
	[ "$(grep -l "ended with status 0" "$runs"/.sweep/slurm-*.log | wc -l)" -ge $((2 * points)) ] || fail "a task of the second submission didn't end with 0"
	check "$runs"
}
if start_slurm; then
	disturb_slurm
else
	echo "cluster  Slurm doesn't start here and was NOT TESTED: $(cat "$slurm"/*.start "$slurm"/*.log 2> /dev/null | tail -n 1)"
fi
stop_slurm
trap - EXIT
