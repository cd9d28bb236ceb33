"""Workloads as flows of Prefect; the number of slots is the argument."""

import sys

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.futures import wait
from prefect.task_runners import ThreadPoolTaskRunner

from serve import run_command, serve


@task(cache_policy=NO_CACHE)
def job(command: str) -> None:
    run_command(command)


@flow
def chain(commands: list[str]) -> None:
    for command in commands:
        job(command)


@flow(task_runner=ThreadPoolTaskRunner(max_workers=int(sys.argv[1])))
def parallel(commands: list[str]) -> None:
    futures = [job.submit(command) for command in commands]
    wait(futures)
    for future in futures:
        future.result()


def run(workload: dict) -> None:
    work = chain if workload["shape"] == "chain" else parallel
    work(workload["commands"])


serve(run)
