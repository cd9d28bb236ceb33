"""Workloads as workflows of DBOS; the number of slots is the argument, the database is in the working directory."""

import sys

from dbos import DBOS

from serve import run_command, serve

QUEUE = "jobs"
# Its second would be most of what is measured.
POLL_EVERY_SEC = 0.01


@DBOS.step()
def job(command: str) -> None:
    run_command(command)


@DBOS.workflow()
def chain(commands: list[str]) -> None:
    for command in commands:
        job(command)


@DBOS.workflow()
def one(command: str) -> None:
    job(command)


@DBOS.workflow()
def parallel(commands: list[str]) -> None:
    handles = [DBOS.enqueue_workflow(QUEUE, one, command) for command in commands]
    for handle in handles:
        handle.get_result(polling_interval_sec=POLL_EVERY_SEC)


def run(workload: dict) -> None:
    work = chain if workload["shape"] == "chain" else parallel
    work(workload["commands"])


DBOS(config={"name": "jobs"})
DBOS.launch()
DBOS.register_queue(QUEUE, worker_concurrency=int(sys.argv[1]), polling_interval_sec=POLL_EVERY_SEC)
serve(run)
