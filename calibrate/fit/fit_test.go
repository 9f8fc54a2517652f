package fit_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// named returns a family that comes with marigram.
func named(t testing.TB, name string) fit.Family {
	t.Helper()
	f, err := calibrate.FamilyNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const tooFew = "none: too few rows"

// The held-out rows have no say in the parameters.
func TestHeldOut(t *testing.T) {
	check := near.Count(t)
	p := fit.Grid(named(t, "data-parallel"), []float64{0.1, 0.01, 0.2, 0.1})
	refit := func() *fit.Model {
		m, err := fit.Fit(named(t, "data-parallel"), p, nil, "test")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	clean := refit()
	var held []int
	for i, r := range clean.Residuals {
		if r.HeldOut {
			held = append(held, i)
			p.Rows[i].StepS *= 3
		}
	}
	spoilt := refit()
	if !slices.Equal(held, []int{2, 7, 12, 17, 22}) || !reflect.DeepEqual(clean.Parameters, spoilt.Parameters) {
		t.Errorf("held out %v; parameters %v and %v", held, clean.Parameters, spoilt.Parameters)
	}
	if e := *spoilt.Errors.HeldOut; check.Off(e, 2.0/3, 1e-6) || check.Above(*spoilt.Errors.Fitted, 1e-9) {
		t.Errorf("errors %v, held out %v", *spoilt.Errors.Fitted, e)
	}
	p.Rows = p.Rows[:4]
	m, err := fit.Fit(named(t, "step-time-quadratic"), p, nil, "test")
	if err != nil || m.HeldOut == tooFew || m.Errors.HeldOut == nil {
		t.Errorf("four rows, three parameters: %v, %v", m, err)
	}
	p.Rows = p.Rows[:3]
	if m, err = fit.Fit(named(t, "step-time-linear"), p, nil, "test"); err != nil || m.HeldOut != tooFew || m.Errors.HeldOut != nil {
		t.Errorf("three rows, two parameters: %v, %v", m, err)
	}
}

func TestFitErrors(t *testing.T) {
	p := fit.Grid(named(t, "data-parallel"), []float64{0.1, 0.01, 0.2, 0.1})
	other := *p
	other.Rows = slices.Clone(p.Rows)
	other.Rows[4].GPU = "h"
	same := *p
	same.Rows = slices.Repeat(p.Rows[:1], 6)
	for _, c := range []struct {
		family fit.Family
		of     *fit.Measured
		where  []string
		says   string
	}{
		{named(t, "step-time-linear"), p, nil, `step-time-linear needs rows with one gpus; there are "1" and "2": select rows by gpus`},
		{named(t, "data-parallel"), &other, nil, `one gpu; there are "g" and "h"`},
		{named(t, "stall-layers"), p, nil, "stall-layers needs sync_time_s, which is empty in all rows"},
		{named(t, "step-time-linear"), p, []string{"gpus=5"}, "grid.csv: no rows with gpus=5"},
		{named(t, "step-time-linear"), p, []string{"speed=5"}, `condition "speed=5", expected column=value with a column of model`},
		{named(t, "step-time-linear"), p, []string{"gpus"}, `condition "gpus", expected`},
		{named(t, "step-time-quadratic"), p, []string{"gpus=1", "batch_per_gpu=16"}, "1 rows for step-time-quadratic, expected at least 4: one per parameter"},
		{named(t, "step-time-linear"), &same, nil, "the rows do not determine the parameters"},
	} {
		if _, err := fit.Fit(c.family, c.of, c.where, "test"); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %v: got %v, expected %s", c.family.Name, c.where, err, c.says)
		}
	}
	if _, err := fit.FamilyNamed("cubic"); err == nil || !strings.Contains(err.Error(), "step-time-linear") {
		t.Errorf("got %v", err)
	}
}
