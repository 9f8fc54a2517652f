package fit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// square is a family as another module would add it.
var square = fit.LinearFamily(fit.Family{
	Name:       "test-square",
	Formula:    "step_time_s = a batch_per_gpu^2",
	Source:     "a test",
	Target:     "step_time_s",
	Inputs:     []string{"batch_per_gpu"},
	Same:       []string{"gpu"},
	Parameters: []fit.Parameter{{Name: "a", Unit: "s/sample^2", Doc: "time of a sample in a batch of one"}},
}, func(m *fit.Measurement) []float64 { return []float64{float64(m.Batch * m.Batch)} })

func init() { fit.Register(square) }

// A family of another module is fitted, written and read by its name.
func TestRegister(t *testing.T) {
	check := near.Count(t)
	rows := []fit.Measurement{{GPU: "g", Batch: 2, StepS: 8, Line: 2}, {GPU: "g", Batch: 3, StepS: 18, Line: 3}}
	m, err := fit.Fit(square, &fit.Measured{Name: "r.csv", Rows: rows}, nil, "test")
	if err != nil || check.Off(m.Parameters[0].Value, 2, 1e-12) {
		t.Fatal(m, err)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fit.ReadModel("m.json", strings.NewReader(string(data))); err != nil {
		t.Error(err)
	}
}

func TestRegisterPanics(t *testing.T) {
	unnamed, unfitted, target, input, text := square, square, square, square, square
	unnamed.Name, unfitted.Fit = "", nil
	target.Name, target.Target = "test-target", "speed"
	input.Name, input.Inputs = "test-input", []string{"speed"}
	text.Name, text.Inputs = "test-text", []string{"gpu"}
	before := len(calibrate.Families())
	for _, c := range []struct {
		family fit.Family
		says   string
	}{
		{square, "family \"test-square\": expected a name that no other family has"}, {unnamed, "expected Name, Formula"}, {unfitted, "expected Name, Formula"},
		{target, `no column "speed"`}, {input, `no column "speed"`}, {text, `column "gpu" has no numbers`},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasPrefix(strings.TrimPrefix(said, "fit: "), "family ") || !strings.Contains(said, c.says) {
					t.Errorf("panicked with %q, expected %q", said, c.says)
				}
			}()
			fit.Register(c.family)
		}()
	}
	if n := len(calibrate.Families()); n != before {
		t.Errorf("%d families, %d before", n, before)
	}
}
