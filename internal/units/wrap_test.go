package units

import "testing"

func TestWrap(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"one  two\nthree", "one two\nthree"},
		{"see `a b c` here", "see\n`a b c`\nhere"},
		{"a (`b c`), d", "a (`b c`),\nd"},
		{"longerthanthewidth x", "longerthanthewidth\nx"},
		{"äöü äöü äöü", "äöü äöü\näöü"},
	} {
		if got := Wrap(c.in, 10); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
