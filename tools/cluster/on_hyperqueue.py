"""Does a sweep on HyperQueue in this process, kills a point in the middle, and submits all again."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

nbbnn, manifest, runs, points, place = sys.argv[1:]
task = str(Path(__file__).resolve().parents[2] / "nbbnn" / "sweep" / "deploy" / "hyperqueue" / "task.sh")


killed = False
ended = threading.Event()  # there is nothing left to kill


def kill_one():
    """Kills a process that holds a run, once four points are done."""
    global killed
    while not ended.is_set():
        done = len(list(Path(runs).glob("*/card.json"))) >= 4
        for lock in Path(runs).glob("*/lock") if done else []:
            try:
                os.kill(int(lock.read_text().split()[0]), signal.SIGKILL)
                killed = True
                print("killed the owner of", lock)
                return
            except (OSError, ValueError, IndexError):
                pass
        time.sleep(0.05)


def job():
    job = Job(default_workdir=place, max_fails=None)
    environment = {
        "NBBNN_PROGRAM": nbbnn, "NBBNN_MANIFEST": manifest, "NBBNN_RUNS": runs, "NBBNN_PAUSE": "1",
        "GOMAXPROCS": "1", "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/tmp"),
    }
    for _ in range(int(points)):
        job.program(["bash", task], env=environment)
    return job


with LocalCluster(server_dir=str(Path(place) / "hq-server")) as cluster:
    for _ in range(2):
        cluster.start_worker(WorkerConfig(cores=1))
    client = cluster.client()
    submitted = client.submit(job())
    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    client.wait_for_jobs([submitted])
    ended.set()
    killer.join()
    if not killed:
        sys.exit("no process was killed: give the points more images")
    client.wait_for_jobs([client.submit(job())])
