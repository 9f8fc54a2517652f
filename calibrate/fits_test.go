package calibrate

import (
	"math"
	"testing"

	"github.com/marigram/marigram/sim"
)

// A law is found again from points that it made; one that does not saturate adds
// speeds up; and at twice its capacity it is at its capacity.
func TestPSCapacity(t *testing.T) {
	for _, law := range []PSCapacity{{1, 45, 4}, {1.07, 80, 8}, {.95, 6, 2.5}} {
		var points []SpeedPoint
		for n := 1.; n <= 8; n++ {
			points = append(points, SpeedPoint{Sum: n * law.Cap / 5, Speed: law.Speed(n * law.Cap / 5), Runs: n})
		}
		got, err := FitPSCapacity(points)
		if err != nil || !near(got.Gain, law.Gain, 1e-3) || !near(got.Cap, law.Cap, 1e-3) || !near(got.P, law.P, 1e-2) {
			t.Errorf("%+v, want %+v; %v", got, law, err)
		}
		left, err := LeaveOneOut(points)
		if err != nil || len(left) != len(points) {
			t.Fatal(left, err)
		}
		for i, e := range left {
			if e > 1e-3 {
				t.Errorf("%+v: left out, point %d is off by %v", law, i, e)
			}
		}
	}
	if got := Unlimited().Speed(123.5); got != 123.5 {
		t.Errorf("unlimited: %v", got)
	}
	if got := (PSCapacity{1, 40, 20}).Speed(80); !near(got, 40, 1e-6) {
		t.Errorf("saturated: %v", got)
	}
}

// NumPy's np.random.RandomState(0).permutation(10), a known answer.
func TestPermutation(t *testing.T) {
	want := []int{2, 8, 4, 9, 1, 6, 7, 3, 0, 5}
	for i, got := range permutation(10, 0) {
		if got != want[i] {
			t.Fatalf("%v, want %v", permutation(10, 0), want)
		}
	}
}

// A support-vector regression with a price that no point is worth keeps every
// point within epsilon of the line that they lie on.
func TestSVR(t *testing.T) {
	var x [][]float64
	var y []float64
	for i := range 30 {
		v := float64(i) / 29
		x, y = append(x, []float64{v}), append(y, 2*v*v-v+.5)
	}
	fit, err := Regression("svr-poly", 1e4, .01)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fit(x, y)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if e := math.Abs(m.Predict(x[i]) - y[i]); e > .01+svrTolerance {
			t.Errorf("at %v: off by %v", x[i][0], e)
		}
	}
	for _, bad := range []struct {
		kind       string
		c, epsilon float64
	}{{"cubic", 1, 1}, {"svr-rbf", 0, .1}, {"svr-rbf", 1, -.1}, {"svr-rbf", math.NaN(), .1}} {
		if _, err := Regression(bad.kind, bad.c, bad.epsilon); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}

func TestLinear(t *testing.T) {
	x := [][]float64{{0, 1}, {1, 0}, {2, 2}, {3, 5}}
	y := []float64{8, 0, 12, 27}
	for i := range y {
		y[i] = 1.5 + 2*x[i][0] - 3*x[i][1]
	}
	l, err := FitLinear(x, y)
	if err != nil || math.Abs(l.Intercept-1.5)+math.Abs(l.Slopes[0]-2)+math.Abs(l.Slopes[1]+3) > 1e-12 {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := FitLinear([][]float64{{1, 1}, {2, 2}, {3, 3}}, y[:3]); err == nil {
		t.Error("dependent features are fitted")
	}
	if _, err := FitLinear(x[:2], y[:2]); err == nil {
		t.Error("two rows for three parameters are fitted")
	}
	q, err := FitQuadratic([][]float64{{0}, {1}, {2}, {3}}, []float64{1, 2, 7, 16})
	if err != nil || !near(q.Predict([]float64{4}), 29, 1e-12) {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestSteps(t *testing.T) {
	m := &Steps{Total: 1000, Speeds: []float64{4, 10, 0}, Capacity: PSCapacity{1, math.Inf(1), 1}, Batch: 128}
	for _, x := range []struct {
		workers []int32
		speed   float64
		working int32
	}{{[]int32{0, 0, 0}, 0, 0}, {[]int32{2, 1, 0}, 18, 3}, {[]int32{0, 0, 5}, 0, 0}, {[]int32{1, 0, 5}, 4, 1}} {
		if p := m.Rate(&sim.Layout{Workers: x.workers}); p.Progress != x.speed || p.Samples != 128*x.speed || p.Working != x.working {
			t.Errorf("%v: %+v", x.workers, p)
		}
	}
	if m.Goal(0) != 1000 || m.Loss(400) != 600 {
		t.Errorf("goal %v, left %v", m.Goal(0), m.Loss(400))
	}
}

func TestStartupRollbackDistance(t *testing.T) {
	if b, err := FitBoot([]float64{50, 200}); err != nil || !near(b.Median.Seconds(), 100, 1e-9) || !near(b.Sigma, math.Ln2, 1e-12) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, bad := range [][]float64{nil, {0}, {-1, 5}, {math.NaN()}} {
		if _, err := FitBoot(bad); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
	r, err := FitRollback([]float64{2000, 3000}, []float64{100, 250})
	if err != nil || !near(r.Overhead(4000), 400, 1e-9) || r.Overhead(1000) != 0 {
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
		if got, err := FitRollback(steps, seconds); err != nil || !near(got.DeadSteps, law.DeadSteps, 1e-9) || !near(got.SecondsPerStep, law.SecondsPerStep, 1e-9) {
			t.Errorf("fitted %+v, %v, want %+v", got, err, law)
		}
	}
	want := Distance{3, 1e8}
	points := []DistancePoint{{RTT: .03, Bytes: 4e6, Near: .1}, {RTT: .03, Bytes: 1e8, Near: 1}, {RTT: .1, Bytes: 1e7, Near: .2}}
	for i, p := range points {
		points[i].Far = p.Near + want.Added(p.RTT, p.Bytes)
	}
	if d, err := FitDistance(points); err != nil || !near(d.RoundTrips, 3, 1e-3) || !near(d.Bandwidth, 1e8, 1e-3) {
		t.Errorf("%+v, %v", d, err)
	}
	if len(Distances()) != 8 || want.Added(0, 1e9) != 0 {
		t.Error("distances")
	}
}
