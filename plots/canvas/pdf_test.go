package canvas

import "testing"

// The fonts of a PDF have the characters of Windows-1252, in its order.
func TestWindows1252(t *testing.T) {
	if got := windows1252("a…é€Ÿ☃•"); got != "a\x85\xe9\x80\x9f?\x95" {
		t.Errorf("%q", got)
	}
}
