package broken

import "testing"

func TestTakes(t *testing.T) {
	noSuchFunction()
}
