# Part of test.sh: starts Slurm with one node on the loopback, and disturbs a sweep on it.
slurm="$place/slurm"
mkdir -p "$slurm/state" "$slurm/spool"
chmod 755 "$place" "$slurm"
node=$(hostname -s)
export SLURM_CONF="$slurm/slurm.conf"
cat > "$SLURM_CONF" << END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
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
munged --force --socket="$slurm/munge.socket" --key-file="$slurm/munge.key" --pid-file="$slurm/munged.pid" \
	--log-file="$slurm/munged.log" --seed-file="$slurm/munged.seed" 2> "$slurm/munged.start"
slurmctld -c 2> "$slurm/slurmctld.start"
slurmd -N "$node" 2> "$slurm/slurmd.start" || slurmd 2>> "$slurm/slurmd.start"
is_idle() { sinfo --noheader --format=%t 2> /dev/null | grep -q '^idle'; }
wait_for is_idle
echo "slurm    $(sinfo --version), node $node"

runs="$place/slurm-runs"
submit() { "$nbbnn" sweep submit --engine slurm --manifest "$manifest" --runs "$runs" --parallel 2 --cpus 1; }

# hurry starts requeued tasks, which Slurm lets wait for two minutes.
hurry() {
	squeue --noheader --format='%i %r' | awk '$2 == "BeginTime" { print $1 }' | while read -r task; do
		scontrol update "JobId=$task" StartTime=now || true
	done
}
is_done() { hurry && at_least "$runs" done "$points"; }
is_empty() { hurry && [ -z "$(squeue --noheader)" ]; }
submit
wait_for is_held "$runs"
task=$(squeue --noheader --states=RUNNING --format=%A | head -n 1)
scontrol requeue "$task"
echo "slurm    requeued job $task"
wait_for at_least "$runs" done 4
wait_for kill_holder
echo "slurm    killed process $victim"
wait_for at_least "$runs" done 8
scontrol update "NodeName=$node" State=DRAIN Reason=test
echo "slurm    drained $node"
is_drained() { sinfo --noheader --format=%t | grep -q '^drain$\|^drained'; }
wait_for is_drained
scontrol update "NodeName=$node" State=RESUME
wait_for is_done
wait_for is_empty
submit # everything is done
wait_for is_empty
[ "$(grep -l "ended with status 0" "$runs"/.sweep/slurm-*.log | wc -l)" -ge $((2 * points)) ] || fail "a task of the second submission didn't end with 0"
check "$runs"
stop_slurm
trap - EXIT
