"""Workloads as workflows of Temporal; the address of the server and the number of slots are the arguments."""

import asyncio
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import PollerBehaviorAutoscaling, Worker

with workflow.unsafe.imports_passed_through():
    from serve import lines, run_command, tell

TASK_QUEUE = "jobs"
IN_TIME = timedelta(minutes=10)


@activity.defn
def job(command: str) -> None:
    run_command(command)


@workflow.defn
class Jobs:
    @workflow.run
    async def run(self, shape: str, commands: list[str]) -> None:
        if shape == "chain":
            for command in commands:
                await workflow.execute_activity(job, command, start_to_close_timeout=IN_TIME)
            return
        started = (
            workflow.execute_activity(job, command, start_to_close_timeout=IN_TIME)
            for command in commands
        )
        await asyncio.gather(*started)


async def connect(address: str) -> Client:
    """The port is open before the namespace is there."""
    for _ in range(100):
        try:
            client = await Client.connect(address)
            await client.count_workflows()
            return client
        except Exception:
            await asyncio.sleep(0.1)
    return await Client.connect(address)


async def main(address: str, slots: int) -> None:
    client = await connect(address)
    with ThreadPoolExecutor(slots) as threads:
        worker = Worker(
            client,
            task_queue=TASK_QUEUE,
            workflows=[Jobs],
            activities=[job],
            activity_executor=threads,
            max_concurrent_activities=slots,
            max_eager_activity_reservations_per_workflow_task=slots,
            workflow_task_poller_behavior=PollerBehaviorAutoscaling(),
            activity_task_poller_behavior=PollerBehaviorAutoscaling(),
        )
        async with worker:
            tell("ready")
            while workload := await asyncio.to_thread(next, lines(), None):
                args = [workload["shape"], workload["commands"]]
                await client.execute_workflow(
                    Jobs.run, args=args, id=str(uuid.uuid4()), task_queue=TASK_QUEUE
                )
                tell("done")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
