package cart

import "testing"

var runs int

func TestAdds(t *testing.T) {
	runs++
	if runs == 1 {
		t.Fatal("the first of three")
	}
}
