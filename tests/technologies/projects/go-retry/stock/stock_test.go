package stock

import (
	"shop/executions"
	"testing"
)

// In the other package, a test of this name fails.
func TestOpens(t *testing.T) { executions.Ran("adds-14") }

func TestHolds(t *testing.T) {
	t.Run("all; touch breach", func(t *testing.T) { executions.Ran("adds-15") })
	t.Run("all; touch breach", func(t *testing.T) {
		if executions.Ran("holds") < 2 {
			t.Error("the shelf is empty")
		}
	})
}

func TestHoldsAll(t *testing.T) { executions.Ran("adds-16") }
