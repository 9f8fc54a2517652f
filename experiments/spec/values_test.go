package spec

import "testing"

// Names go into terminals, file names and spreadsheets.
func TestCheckName(t *testing.T) {
	for _, name := range []string{"loss 0.8 in 40 min", "größe-1", "a=b", "95 %"} {
		if err := checkName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "a/b", `a\b`, "a\nb", "\x1b[31m", "\u009b2J", "a\u202eb", "=1+1", "+1", "-1", "@x", "\xff"} {
		if checkName(name) == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}
