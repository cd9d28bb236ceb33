package till

import (
	"fmt"
	"testing"
	"unicode/utf8"
)

func TestChange(t *testing.T) {
	for name, each := range map[string]struct {
		paid  int
		coins string
	}{
		"exact":         {1190, "[]"},
		"largest first": {1500, "[200 100 10]"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Change(each.paid, 1190)
			if err != nil || fmt.Sprint(got) != each.coins {
				t.Errorf("got %v (%v), not %s", got, err, each.coins)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	if _, err := Change(1000, 1190); err == nil || err.Error() != "190 cents are missing" {
		t.Errorf("got %v", err)
	}
}

func TestLine(t *testing.T) {
	line := Line("tea from Darjeeling", 1190)
	if width := utf8.RuneCountInString(line); width > PaperWidth {
		t.Errorf("the line has %d characters, the paper room for %d", width, PaperWidth)
	}
}

func TestDrawer(t *testing.T) {
	t.Skip("there is no drawer here")
}
