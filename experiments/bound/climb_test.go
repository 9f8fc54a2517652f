package bound_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/sim"
)

// schedule holds clusters in turn, the first until training has begun, whatever a market does:
// what a search for runs below the bound changes step by step.
type schedule struct {
	steps []step
	begun sim.Time // Never before training has begun
}

// step is a cluster and for how long, in seconds from the begin of training; that of the first
// is how long after the submission it is asked for.
type step struct {
	seconds float64
	hold    []int
	servers int // 0 gives all back
	workers int // JobPlan.Workers
}

func (*schedule) Name() string { return "schedule" }

func (s *schedule) Decide(v sim.View, plan *sim.Plan) {
	job, p := v.Job(0), &plan.Jobs[0]
	if v.Trigger()&sim.TriggerStart != 0 {
		s.begun = sim.Never
	}
	if !job.Active() {
		return
	}
	now, at := v.Now(), 0
	if job.Begun() {
		s.begun = min(s.begun, now)
		left := now.Sub(s.begun).Seconds()
		for at = min(1, len(s.steps)-1); at+1 < len(s.steps) && left >= s.steps[at].seconds; at++ {
			left -= s.steps[at].seconds
		}
		if at+1 < len(s.steps) {
			plan.WakeIn(time.Duration(max(s.steps[at].seconds-left, 1e-3) * 1e9))
		}
	} else if wait := s.steps[0].seconds - now.Sub(job.Submitted()).Seconds(); wait > 0 {
		plan.WakeIn(time.Duration(max(wait, 1e-3) * 1e9))
		return
	}
	x := &s.steps[at]
	copy(p.Hold, x.hold)
	p.Servers, p.Workers = x.servers, x.workers
	if m, ok := job.Model().(sim.PipelineModel); ok {
		ready := 0
		for k := range v.Pools() {
			h := v.Held(0, k)
			ready += h.Ready + h.Noticed
		}
		p.Pipelines, p.Stages = m.Best(ready)
		p.AcrossZones, p.Save = x.servers > 1, x.workers == 1 && job.Safe()
	}
}

// drawSchedule draws a schedule for pools with quotas.
func drawSchedule(d *draws, m *sim.Market) *schedule {
	s := &schedule{}
	if d.chance(0.4) {
		return growing(d, m)
	}
	for range 1 + int(d.below(3)) {
		x := step{seconds: d.below(4000), hold: make([]int, m.Pools()), servers: 1, workers: int(d.below(3))}
		for p := range x.hold {
			if d.chance(0.5) {
				x.hold[p] = int(d.below(float64(m.Pool(p).Quota + 1)))
			}
		}
		s.steps = append(s.steps, x)
	}
	if d.chance(0.7) {
		s.steps[0].seconds = 0
	}
	return s
}

// growing is a schedule of one instance first, and of more when training has begun.
func growing(d *draws, m *sim.Market) *schedule {
	one, all := step{hold: make([]int, m.Pools()), servers: 1, workers: int(d.below(2))}, step{hold: make([]int, m.Pools()), servers: 1}
	p := int(d.below(float64(m.Pools())))
	one.hold[p] = min(1, m.Pool(p).Quota)
	for p := range all.hold {
		if d.chance(0.5) {
			all.hold[p] = int(d.below(float64(m.Pool(p).Quota + 1)))
		}
	}
	all.hold[p] = m.Pool(p).Quota
	return &schedule{steps: []step{one, all}}
}

// other returns a schedule that differs in one thing.
func (s *schedule) other(d *draws, m *sim.Market) *schedule {
	out := &schedule{}
	for _, x := range s.steps {
		x.hold = append([]int(nil), x.hold...)
		out.steps = append(out.steps, x)
	}
	x := &out.steps[int(d.below(float64(len(out.steps))))]
	p := int(d.below(float64(m.Pools())))
	switch int(d.below(8)) {
	case 0:
		x.hold[p] = min(x.hold[p]+1, m.Pool(p).Quota)
	case 1:
		x.hold[p] = max(x.hold[p]-1, 0)
	case 2:
		x.hold[p] = 0
	case 3:
		x.seconds *= 0.5 + d.below(1)
	case 4:
		x.workers = int(d.below(3))
	case 5:
		x.servers = int(d.below(3))
	case 6:
		q := int(d.below(float64(m.Pools())))
		x.hold[p], x.hold[q] = min(x.hold[q], m.Pool(p).Quota), min(x.hold[p], m.Pool(q).Quota)
	default:
		out.steps = append(out.steps, step{d.below(3000), append([]int(nil), x.hold...), 1, 0})
	}
	return out
}

// ascent looks for runs that meet the objective of a case for less than the bound, or sooner: it
// changes schedules step by step, and keeps what is cheaper, or met, or nearer to it.
type ascent struct {
	c             sim.Config
	b, spot       bound.Bound // spot: on spot alone
	w             sim.World
	ran, met, bad int
	min           float64 // cost by bound
}

func newAscent(t testing.TB, seed uint64) *ascent {
	x := &ascent{c: anyCase(t, seed), min: math.Inf(1)}
	var err error
	if x.b, err = bound.Hindsight(x.c); err == nil {
		x.spot, err = bound.OnSpot(x.c)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return x
}

// try runs a schedule, and returns what it costs, or how long it takes if soon.
func (x *ascent) try(t testing.TB, s *schedule, soon bool) (score float64) {
	t.Helper()
	x.c.Policy = s
	if err := x.w.Reset(x.c); err != nil {
		t.Fatal(err)
	}
	total := x.w.Run()
	x.ran++
	j := total.Jobs[0]
	if !j.Finished || j.Elapsed > x.c.Jobs[0].Objective.Within {
		return 1e6 * (2 - math.Min(float64(j.Done), 1))
	}
	x.met++
	usd := total.Bill.Total()
	if x.b.USD > 0 && !math.IsInf(x.b.USD, 1) {
		x.min = min(x.min, usd/x.b.USD)
	}
	if x.b.Contradicts(usd, j.Elapsed.Seconds()) || !s.onDemand(x.c.Market) && x.spot.Contradicts(usd, j.Elapsed.Seconds()) {
		if x.bad++; x.bad == 1 {
			t.Errorf("seed %d, %T: %v USD after %v s, the bound is %+v, on spot %+v: %+v", x.c.Seed, x.c.Jobs[0].Model, usd, j.Elapsed.Seconds(),
				x.b, x.spot, s.steps)
		}
	}
	if soon {
		return j.Elapsed.Seconds()
	}
	return usd
}

// onDemand reports whether the schedule asks for instances on demand.
func (s *schedule) onDemand(m *sim.Market) bool {
	for _, x := range s.steps {
		for p, n := range x.hold {
			if n > 0 && m.Pool(p).OnDemand {
				return true
			}
		}
	}
	return false
}

// hill climbs from n schedules, m steps each.
func (x *ascent) hill(t testing.TB, from, steps int) {
	d := &draws{Rand: sim.Rand{Seed: x.c.Seed}, n: 1 << 40}
	for k := range from {
		soon := k%4 == 3
		now := drawSchedule(d, x.c.Market)
		score := x.try(t, now, soon)
		for range steps {
			next := now.other(d, x.c.Market)
			if s := x.try(t, next, soon); s <= score {
				now, score = next, s
			}
		}
	}
}

// No schedule that a search finds is cheaper or sooner than the bound, on markets that begin
// without capacity and on others.
func TestNoAscentEndsBelowTheBound(t *testing.T) {
	var cases, ran, met, bad int
	smallest := math.Inf(1)
	for seed := range seeds(10) {
		x := newAscent(t, seed)
		x.hill(t, 4, 40)
		if ran, met, bad = ran+x.ran, met+x.met, bad+x.bad; x.met > 0 {
			cases++
		}
		smallest = min(smallest, x.min)
	}
	if cases < *markets {
		t.Errorf("%d markets have a met run", cases)
	}
	t.Logf("%d runs on %d markets, met %d on %d markets; %d below their bound; the cheapest costs %.4f of it", ran, *markets*10, met, cases, bad, smallest)
}
