runs = 0


def test_adds():
    global runs
    runs += 1
    assert runs > 1
