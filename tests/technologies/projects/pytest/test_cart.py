import pytest


@pytest.fixture
def shelf():
    raise RuntimeError("the shelf is empty")


def test_adds():
    assert 1 + 1 == 2


class TestRest:
    def test_subtracts(self):
        assert 2 - 1 == 0, "two less one is one"


def test_takes(shelf):
    pass


@pytest.mark.skip(reason="not yet")
def test_divides():
    pass


@pytest.mark.parametrize("what", ["a b", "é; touch breach", "$(touch breach)"])
def test_names(what):
    assert what
