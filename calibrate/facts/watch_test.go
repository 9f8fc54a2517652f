package facts

import "testing"

// A column is scaled while it is watched, and no longer.
func TestWatch(t *testing.T) {
	type row struct {
		Model  string `col:"model"`
		Stages int    `col:"stages"`
		Step   int    `col:"step_ms_1"`
	}
	read := func() row { return Read[row]("bamboo_networks")[0] }
	was := read()
	var is row
	seen := Watch(Column{"bamboo_networks", "step_ms_1"}, 1.1, func() { is = read() })
	if is.Stages != was.Stages || is.Step != was.Step*11/10 || len(seen) != 2 || seen[0].Name != "stages" {
		t.Errorf("%+v after %+v; %v", is, was, seen)
	}
	if again := read(); again != was {
		t.Errorf("%+v stays", again)
	}
}
