package cart

import "testing"

func TestAdds(t *testing.T) {
	for _, name := range []string{"one", "two; touch breach", "$(touch breach) [é]"} {
		t.Run(name, func(t *testing.T) {})
	}
}

func TestSubtracts(t *testing.T) {
	if 2-1 != 0 {
		t.Error("two less one is one")
	}
}

func TestDivides(t *testing.T) {
	t.Skip("not yet")
}

func TestShips(t *testing.T) {
	t.Run("\"Oslo\"", func(t *testing.T) {})
	t.Run("<Rome>", func(t *testing.T) { t.Error("no\tship, \"é\"") })
}
