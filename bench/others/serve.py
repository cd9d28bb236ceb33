"""Runs workloads that come as lines of JSON, one after the other, and says on descriptor 3 when each is done."""

import json
import os
import subprocess
import sys
import traceback


SHELL = os.environ.get("TUTTI_BENCH_SHELL")


def run_command(command: str) -> None:
    """The job: a shell with one command, which must succeed. A named shell has its output read, as a job of Tutti has."""
    if SHELL is None:
        subprocess.run(command, shell=True, check=True)
    else:
        subprocess.run([SHELL, "-e", "-c", command], check=True, capture_output=True)


def lines():
    return (json.loads(line) for line in iter(sys.stdin.readline, ""))


def tell(words: str) -> None:
    os.write(3, f"{words}\n".encode())


def serve(run) -> None:
    """Calls `run(workload)` for each workload, until nobody asks any more."""
    tell("ready")
    for workload in lines():
        try:
            run(workload)
            tell("done")
        except Exception:
            traceback.print_exc()
            tell("failed")
