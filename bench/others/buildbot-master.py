"""The configuration of the master: for each workload of settings.json a scheduler of its name that a client may force.

NAME-end is the builder whose last build ends with the workload: in a chain that of the last job, otherwise the one that triggers all of them.
"""

import json
from pathlib import Path

from buildbot.plugins import schedulers, steps, util, worker

settings = json.loads((Path(basedir) / "settings.json").read_text())

c = BuildmasterConfig = {
    # Workers within the master need no port.
    "protocols": {"null": {}},
    "www": {"port": f"tcp:{settings['port']}:interface=127.0.0.1", "plugins": {}},
    "buildbotURL": f"http://127.0.0.1:{settings['port']}/",
    "buildbotNetUsageData": None,
    # A builder has one build at a time on each worker. A triggering build waits for the others, so it must not take a slot.
    "workers": [
        *(worker.LocalWorker(name, max_builds=1) for name in settings["workers"]),
        worker.LocalWorker("triggering"),
    ],
    "schedulers": [],
    "builders": [],
    # As for a matrix: requests for the same builder are different jobs.
    "collapseRequests": False,
}


class TriggerEach(steps.Trigger):
    """One build for each command."""

    def __init__(self, commands, **kwargs):
        self.commands = commands
        super().__init__(**kwargs)

    def getSchedulersAndProperties(self):
        name = self.schedulerNames[0]
        return [
            {"sched_name": name, "props_to_set": {"command": command}, "unimportant": False}
            for command in self.commands
        ]


def builder(name, step, on=tuple(settings["workers"])):
    factory = util.BuildFactory([step])
    c["builders"].append(util.BuilderConfig(name=name, workernames=list(on), factory=factory))


def force(name, builder_name):
    c["schedulers"].append(
        schedulers.ForceScheduler(name=name, builderNames=[builder_name], codebases=[""])
    )


def chain(name, commands):
    names = [f"{name}-{index}" for index in range(len(commands) - 1)] + [f"{name}-end"]
    for builder_name, command in zip(names, commands):
        builder(builder_name, steps.ShellCommand(command=command))
    force(name, names[0])
    for builder_name in names[1:]:
        before = c["schedulers"][-1]
        c["schedulers"].append(
            schedulers.Dependent(
                name=f"after-{before.name}", upstream=before, builderNames=[builder_name]
            )
        )


def parallel(name, commands):
    builder(f"{name}-job", steps.ShellCommand(command=util.Property("command")))
    c["schedulers"].append(
        schedulers.Triggerable(name=f"{name}-jobs", builderNames=[f"{name}-job"])
    )
    trigger = TriggerEach(commands, schedulerNames=[f"{name}-jobs"], waitForFinish=True)
    builder(f"{name}-end", trigger, on=("triggering",))
    force(name, f"{name}-end")


for workload in settings["workloads"]:
    shape = chain if workload["shape"] == "chain" else parallel
    shape(workload["name"], workload["commands"])
