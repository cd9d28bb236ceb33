"""Twenty tests, three of which fail in their first execution. Each execution is a line of a file."""

import os

import pytest


def ran(name):
    """The number of this execution of the test, from 1."""
    path = os.environ["EXECUTIONS"]
    with open(path, "a+", encoding="utf-8") as executions:
        executions.write(f"{name}\n")
        executions.seek(0)
        return executions.read().splitlines().count(name)


@pytest.mark.parametrize("number", range(17))
def test_adds(number):
    assert ran(f"adds-{number}") > 0


def test_opens():
    assert ran("opens") > 1, "the shop is still closed"


class TestShelf:
    @pytest.mark.parametrize("what", ["a::b [c]", "$(touch breach)"])
    def test_takes(self, what):
        assert ran(f"takes {what}") > 1, "the shelf is empty"
