package sweep

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
)

// A value with a name is the value in the spec, and the name in the parameters of rows; it is excluded by either.
func TestNamesOfValues(t *testing.T) {
	const text = "base: quickstart\nmatrix:\n  market.replay.notice_s: [{name: short, value: 30}, 120, {name: long, value: 600}]\n" +
		"  model.training: [{name: bsp, value: {mode: bsp}}]\nexclude: [{market.replay.notice_s: long}]\n"
	s, err := parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := s.cells()
	if err != nil || len(cells) != 2 {
		t.Fatalf("%d cells, %v, want 2", len(cells), err)
	}
	for i, want := range []string{`{"market.replay.notice_s":"short","model.training":"bsp"}`,
		`{"market.replay.notice_s":120,"model.training":"bsp"}`} {
		if got := spec.Parameters(cells[i]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := string(toJSON(cells[0][0].Value)); got != "30" {
		t.Errorf("the value is %s, want 30", got)
	}
	for name, want := range map[string]string{"''": "1 to 40 characters", "[a]": "1 to 40 characters", "long": "given twice"} {
		bad := strings.Replace(text, "name: short", "name: "+name, 1)
		bad = bad[:strings.Index(bad, "exclude")]
		if s, err = parse("x.yaml", []byte(bad)); err == nil {
			_, err = s.cells()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("name %s: %v, want %q", name, err, want)
		}
	}
}
