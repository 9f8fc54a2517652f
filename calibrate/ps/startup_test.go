package ps

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func TestStartupRollbackDistance(t *testing.T) {
	check := near.Count(t)
	if b, err := FitBoot([]float64{50, 200}); err != nil || check.OffRel(b.Median.Seconds(), 100, 1e-9) || check.OffRel(b.Sigma, math.Ln2, 1e-12) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, bad := range [][]float64{nil, {0}, {-1, 5}, {math.NaN()}} {
		if _, err := FitBoot(bad); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
	r, err := FitRollback([]float64{2000, 3000}, []float64{100, 250})
	if err != nil || check.OffRel(r.Overhead(4000), 400, 1e-9) || r.Overhead(1000) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := FitRollback([]float64{2000, 3000}, []float64{250, 100}); err == nil {
		t.Error("accepted an overhead that falls")
	}
	for _, steps := range [][]float64{{1000, 2000, 3000}, {1000, 1000}, {1000}, {}} {
		if law, err := FitRollback(steps, make([]float64, len(steps))); err == nil {
			t.Errorf("%v: accepted %+v for an overhead that is 0", steps, law)
		}
	}
	var steps, seconds []float64 // points within the dead zone, of two laws: as many as beyond it, and all but one
	for _, law := range []Rollback{{DeadSteps: 1300, SecondsPerStep: .11}, {DeadSteps: 3500, SecondsPerStep: 2}} {
		steps, seconds = steps[:0], seconds[:0]
		for s := 4000.; s >= 200; s -= 200 {
			steps, seconds = append(steps, s), append(seconds, law.Overhead(s))
		}
		if got, err := FitRollback(steps, seconds); err != nil || check.OffRel(got.DeadSteps, law.DeadSteps, 1e-9) ||
			check.OffRel(got.SecondsPerStep, law.SecondsPerStep, 1e-9) {
			t.Errorf("fitted %+v, %v, want %+v", got, err, law)
		}
	}
	want := Distance{3, 1e8}
	points := []DistancePoint{{RTT: .03, Bytes: 4e6, Near: .1}, {RTT: .03, Bytes: 1e8, Near: 1}, {RTT: .1, Bytes: 1e7, Near: .2}}
	for i, p := range points {
		points[i].Far = p.Near + want.Added(p.RTT, p.Bytes)
	}
	if d, err := FitDistance(points); err != nil || check.OffRel(d.RoundTrips, 3, 1e-3) || check.OffRel(d.Bandwidth, 1e8, 1e-3) {
		t.Errorf("%+v, %v", d, err)
	}
	if want.Added(0, 1e9) != 0 {
		t.Error("a distance of no latency takes time")
	}
}
