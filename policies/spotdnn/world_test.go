package spotdnn_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// idle is a market of the profile's types in which nothing happens.
func idle(t *testing.T, profile ps.Profile) *sim.Market {
	t.Helper()
	var hs []sim.Trace
	for _, r := range profile {
		hs = append(hs, sim.Trace{Pool: sim.Pool{Name: r.InstanceType, InstanceType: r.InstanceType, Quota: r.Quota},
			Prices: []sim.Price{{USD: r.SpotUSDPerH}}})
	}
	m, err := sim.NewMarket(sim.Time(0).Add(48*time.Hour), hs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Where nothing happens, the world does what was planned: DEVIATIONS.md 1 states
// the difference, which is the artifact's rounding.
func TestWorldAgainstPlan(t *testing.T) {
	check := near.Count(t)
	profile, model := resnet110(t)
	m := idle(t, profile)
	worst := 0.0
	for _, x := range []struct{ loss, seconds float64 }{
		{0.9, 1900}, {0.8, 2400}, {0.7, 3700}, {0.8, 2600}, {1.233, 6441}, {0.625, 4948}, {1.079, 7513}, {0.87, 8922},
		{0.777, 7845}, {1.107, 3972}, {0.982, 4861}, {0.992, 5560}, {1.206, 1776}, {0.937, 2727}, {0.989, 8864},
	} {
		var window spotdnn.Window
		plan := window.Search(task(profile, model, x.loss, x.seconds))
		w, err := sim.New(sim.Config{Market: m, Policy: &spotdnn.SpotDNN{}, Jobs: []sim.Job{{Model: model,
			Objective: sim.Objective{Loss: x.loss, Within: time.Duration(x.seconds * 1e9)}, ParameterServers: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		r := w.Run()
		off := math.Abs(r.Jobs[0].Elapsed.Seconds()-plan.Seconds) / plan.Seconds
		worst = max(worst, off)
		if usd := math.Abs(r.Bill.Total()-plan.USD) / plan.USD; check.Above(off, 2e-4) || check.Above(usd, 2e-4) || r.PlanChanges != 1 {
			t.Errorf("%+v: %v and %v USD, planned %v and %v USD, %d plans", x, r.Jobs[0].Elapsed, r.Bill.Total(), plan.Seconds,
				plan.USD, r.PlanChanges)
		}
	}
	t.Logf("largest relative difference of time: %.2g", worst)
}
