"""Workloads as workflows of DBOS; the number of slots is the argument, the database is in the working directory."""

import asyncio
import sys

from dbos import DBOS

from serve import run_command, serve

SLOTS = int(sys.argv[1])
# Steps that wait for a slot take the database's locks from each other: 20, 100 or 1 000 at a time are slower.
BATCH = 2 * SLOTS


@DBOS.step()
def job(command: str) -> None:
    run_command(command)


@DBOS.workflow()
def chain(commands: list[str]) -> None:
    for command in commands:
        job(command)


@DBOS.step()
async def waiting_job(slots: asyncio.Semaphore, command: str) -> None:
    async with slots:
        await asyncio.to_thread(run_command, command)


@DBOS.workflow()
async def parallel(commands: list[str]) -> None:
    slots = asyncio.Semaphore(SLOTS)
    # Steps begin in the order of their calls, as the library requires, and wait within for a slot.
    for first in range(0, len(commands), BATCH):
        batch = commands[first : first + BATCH]
        await asyncio.gather(*(waiting_job(slots, command) for command in batch))


def run(workload: dict) -> None:
    if workload["shape"] == "chain":
        chain(workload["commands"])
    else:
        asyncio.run(parallel(workload["commands"]))


DBOS(config={"name": "jobs"})
DBOS.launch()
serve(run)
