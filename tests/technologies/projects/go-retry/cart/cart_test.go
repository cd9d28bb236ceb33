package cart

import (
	"fmt"
	"shop/executions"
	"testing"
)

func TestAdds(t *testing.T) {
	for _, number := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9} {
		number := number
		t.Run(fmt.Sprint(number), func(t *testing.T) { executions.Ran(fmt.Sprint("adds-", number)) })
	}
}

func TestTakes(t *testing.T) {
	t.Run("é", func(t *testing.T) { executions.Ran("adds-10") })
	t.Run("é", func(t *testing.T) { executions.Ran("adds-11") })
	t.Run("b", func(t *testing.T) { executions.Ran("adds-12") })
	t.Run("a/b |*?[$(touch breach)] 'é\"", func(t *testing.T) {
		if executions.Ran("takes") < 2 {
			t.Error("the shelf is empty")
		}
	})
}

func TestOpens(t *testing.T) {
	if executions.Ran("opens") < 2 {
		t.Error("the shop is still closed")
	}
}

func TestOpensAgain(t *testing.T) { executions.Ran("adds-13") }
