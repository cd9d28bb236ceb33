package printer

import (
	"testing"

	"shop/till"
)

func TestPrints(t *testing.T) {
	if len(till.Receipt("tea", 1190)) == 0 {
		t.Error("the receipt is empty")
	}
}
