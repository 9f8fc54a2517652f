package results_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/experiments/results"
)

// A run that met its objective below its bound is an error, but for rounding; one that did not
// meet it, and one without a bound, is none.
func TestCheckBound(t *testing.T) {
	finish := 5513.0
	for _, x := range []struct {
		name   string
		met    bool
		usd    float64
		bound  *float64
		wrong  bool
		saying string
	}{
		{"above", true, 12, ptr(11.99), false, ""},
		{"rounding", true, 11.99 * (1 - 0.9e-6), ptr(11.99), false, ""},
		{"more than rounding", true, 11.99 * (1 - 1.1e-6), ptr(11.99), true,
			"for 11.989987 USD after 5513.000000 s, but by the bound no run does for less than 11.990000 USD;"},
		{"below", true, 9.98, ptr(11.99), true, "run 7 (cell 3, policy grow, objective o, start 1800 s, seed 5) is below its bound: it met the " +
			"objective for 9.980000 USD"},
		{"impossible", true, 9.98, ptr(math.Inf(1)), true, "but by the bound no run can; this is a defect of marigram, not of the policy: please " +
			"report it with the spec"},
		{"no number", true, math.NaN(), ptr(1), true, "NaN USD"},
		{"late", false, 9.98, ptr(11.99), false, ""},
		{"unbounded", true, 9.98, nil, false, ""},
	} {
		r := results.SweepRow{Cell: 3, Summary: results.Summary{Run: 7, StartS: 1800, Policy: "grow", Objective: "o", Seed: 5,
			Met: x.met, CostUSD: x.usd, FinishS: &finish, BoundUSD: x.bound}}
		err := r.CheckBound()
		if (err != nil) != x.wrong || err != nil && !strings.Contains(err.Error(), x.saying) {
			t.Errorf("%s: got %v", x.name, err)
		}
	}
	r := results.Summary{Met: true, CostUSD: 12, FinishS: &finish}
	err := r.CheckAgainst(&bound.Bound{USD: 11.99, Seconds: 5884})
	var below *results.BelowBound
	if !errors.As(err, &below) || below.FastestS != 5884 || !strings.Contains(err.Error(), "none sooner than after 5884.000000 s") {
		t.Errorf("sooner than the bound: got %v", err)
	}
}

func ptr(x float64) *float64 { return &x }
