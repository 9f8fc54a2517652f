// Package simtest tests what plugs into package sim: Suite is what every policy has to
// pass, and Linear, Jobs and Market are plain models, jobs and traces.
package simtest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Linear is a model whose progress is seconds of one worker's work: n workers
// make n*PerWorker a second. Its loss at progress x is 1/(1+x).
type Linear struct {
	PerWorker float64       // progress per worker and second
	Min       int           // workers below which nothing moves
	Max       int           // workers that can take part; 0 means all
	Redundant float64       // share of the time spent on replicated computation
	Stall     time.Duration // restoring after a loss of workers
	Reshape   time.Duration // reconfiguring after workers joined
	Rollback  bool          // a loss of workers falls back to the last save
	Save      time.Duration
	Served    int   // workers that one parameter server can serve; 0 needs no server
	Chief     Chief // what the loss of the chief does
	// Ahead is the progress at which training set up for one worker starts; for n
	// workers it is the nth part.
	Ahead float64
}

// Chief is what the loss of the chief does to a Linear job.
type Chief uint8

// What the loss of the chief can do.
const (
	ChiefHandsOver Chief = iota // nothing beyond the loss of a worker
	ChiefRollsBack              // progress falls back to the last save
	ChiefIsMaster               // the job is lost
)

// LossAt returns the loss at progress x, so that jobs can be given work to do.
func LossAt(x float64) float64 { return 1 / (1 + x) }

// Rate implements sim.Model.
func (m Linear) Rate(l *sim.Layout) sim.Rate {
	n := l.Total()
	if l.Stages > 0 {
		if working := int(l.Pipelines*l.Stages - l.Holes); working <= n {
			n = working
		} else {
			n = 0
		}
	}
	if m.Max > 0 {
		n = min(n, m.Max)
	}
	if m.Served > 0 {
		n = min(n, m.Served*int(l.Servers))
	}
	if n < m.Min || n == 0 {
		return sim.Rate{}
	}
	v := m.PerWorker * float64(n)
	return sim.Rate{Progress: v, Iterations: v, Samples: v, Working: int32(n), Redundant: m.Redundant}
}

// Begin implements sim.Model.
func (m Linear) Begin(l *sim.Layout) float64 { return m.at(math.Inf(1), l.Total()) }

// Goal implements sim.Model.
func (m Linear) Goal(loss float64) float64 {
	if loss <= 0 {
		return math.Inf(1)
	}
	return 1/loss - 1
}

// Loss implements sim.Model.
func (m Linear) Loss(progress float64) float64 { return LossAt(progress) }

// Change implements sim.Model.
func (m Linear) Change(c *sim.Change) sim.Pause {
	switch {
	case c.ChiefLost && m.Chief == ChiefIsMaster:
		return sim.Pause{Fatal: true}
	case c.Unserved && m.Served > 0:
		return sim.Pause{Stall: m.Stall, As: sim.Restoring, Rollback: true}
	case c.Lost > 0:
		return sim.Pause{Stall: m.Stall, As: sim.Restoring, Rollback: m.Rollback || c.ChiefLost && m.Chief == ChiefRollsBack}
	case c.To.Servers != c.From.Servers, c.To.Total() > c.From.Total():
		return sim.Pause{Stall: m.Reshape, As: sim.Reconfiguring}
	}
	return sim.Pause{}
}

// SaveTime implements sim.Model.
func (m Linear) SaveTime(*sim.Layout) (stall, persist time.Duration) { return m.Save, 0 }

// Best implements sim.PipelineModel: pipelines of two stages, as many as there
// can be.
func (m Linear) Best(instances int) (pipelines, stages int) {
	if instances < 2 {
		return 0, 0
	}
	return instances / 2, 2
}

// MaxUseful implements sim.PipelineModel.
func (m Linear) MaxUseful() int { return 6 }

// Workers implements sim.WorkerModel: a worker makes PerWorker mini-batches of one
// sample a second, whatever the others do.
func (m Linear) Workers(_ int, _ float64, into []sim.Worker) {
	for i := range into {
		into[i] = sim.Worker{Rate: m.PerWorker, Speed: m.PerWorker}
	}
}

// NeedsServers implements sim.WorkerModel.
func (Linear) NeedsServers() bool { return false }

// WorkerBounds implements sim.WorkerModel.
func (m Linear) WorkerBounds(from, to, seconds float64) (lo, hi int) {
	need := m.Goal(to) - m.at(from, 1)
	return max(int(min(math.Ceil(need/(m.PerWorker*seconds)), 1e6)), 1), 1e6
}

// Estimate implements sim.WorkerModel.
func (m Linear) Estimate(t sim.Tally, from, to float64) sim.Estimate {
	need := max(m.Goal(to)-m.at(from, t.N), 0)
	return sim.Estimate{Iterations: need, Seconds: need / t.Speed, Batch: 1}
}

// at returns the progress at a loss; +Inf is the start on n workers.
func (m Linear) at(loss float64, n int) float64 {
	if math.IsInf(loss, 1) {
		return m.Ahead / float64(max(n, 1))
	}
	return m.Goal(loss)
}

// purposeFixture draws the fixtures' traces.
const purposeFixture = sim.PurposeUser + 100

// Market makes a market for tests: two instance types in two zones on the spot
// market and two pools on demand, over the span, with prices that change every
// few minutes and capacity that falls and comes back in bulk; one of the pools
// is a recorded fleet of machines. After the instant cut (Never: at no time) the market
// is that of another seed.
func Market(seed uint64, span time.Duration, cut sim.Time) *sim.Market {
	return merged(span, traces(seed, span, cut))
}

// Traces returns the traces of Market, to be changed.
func Traces(seed uint64, span time.Duration) []sim.Trace {
	return traces(seed, span, sim.Never)
}

func traces(seed uint64, span time.Duration, cut sim.Time) (hs []sim.Trace) {
	end := sim.Time(0).Add(span)
	for i, typ := range []string{"small", "large"} {
		for z := range 2 {
			hs = append(hs, spotTrace(seed, 2*i+z, typ, fmt.Sprintf("zone-%c", 'a'+z), end, cut))
		}
		p := sim.Pool{Name: "on-demand/" + typ, InstanceType: typ, OnDemand: true, OnDemandPrice: float64(i + 1), Quota: 8,
			Boot: sim.Boot{Median: 90 * time.Second}}
		hs = append(hs, sim.Trace{Pool: p, Prices: []sim.Price{{USD: p.OnDemandPrice}}})
	}
	return hs
}

func merged(span time.Duration, hs []sim.Trace) *sim.Market {
	m, err := sim.NewMarket(sim.Time(0).Add(span), hs)
	if err != nil {
		panic(err)
	}
	return m
}

// withUnused is the traces with two more pools, before the others and among them, of
// which no instance can be held, however cheap.
func withUnused(hs []sim.Trace) []sim.Trace {
	unused := func(name string, like sim.Trace) sim.Trace {
		like.Name, like.Zone, like.Quota = name, name, 0
		like.Prices = []sim.Price{{USD: 0.001}}
		return like
	}
	return slices.Concat([]sim.Trace{unused("first", hs[0])}, hs[:3], []sim.Trace{unused("among", hs[1])}, hs[3:])
}

func spotTrace(seed uint64, pool int, typ, zone string, end, cut sim.Time) sim.Trace {
	usd := map[string]float64{"small": 0.3, "large": 0.7}[typ]
	h := sim.Trace{Pool: sim.Pool{Name: zone + "/" + typ, Zone: zone, InstanceType: typ, Quota: 4,
		Notice: 120 * time.Second, NoticeMissing: 0.2, Boot: sim.Boot{Median: 90 * time.Second, Sigma: 0.3}}}
	h.Prices = []sim.Price{{USD: usd}}
	h.Capacity = []sim.Capacity{{N: 4}}
	at := sim.Time(0)
	for n := uint64(0); ; n++ {
		rand := sim.Rand{Seed: seed}
		draw := func(k uint64) float64 { return rand.Uniform(purposeFixture, uint64(pool), 3*n+k) }
		next := at.After(60 + 1200*draw(0))
		if next > cut && at <= cut {
			next = max(next, cut+1)
		}
		if at = next; at >= end {
			break
		}
		if at > cut {
			rand.Seed = ^seed
		}
		h.Prices = append(h.Prices, sim.Price{At: at, USD: usd * (0.8 + 0.4*draw(1))})
		h.Capacity = append(h.Capacity, sim.Capacity{At: at, N: int(7 * draw(2))})
	}
	if pool == 3 {
		h.Nodes, h.Capacity = machines(h.Capacity), nil
	}
	h.Victim = sim.Victim(pool % 3)
	h.Notice = []time.Duration{120 * time.Second, 0, 120 * time.Second, 30 * time.Second}[pool]
	return h
}

// machines turns counts into machines that come and go: the last to come is the
// first to go.
func machines(counts []sim.Capacity) (events []sim.NodeEvent) {
	up, lastDown := 0, [8]sim.Time{}
	for _, c := range counts {
		for ; up > c.N; up-- {
			events = append(events, sim.NodeEvent{At: c.At, Node: up - 1})
			lastDown[up-1] = c.At
		}
		for ; up < c.N && lastDown[up] < c.At || up < c.N && c.At == 0; up++ {
			events = append(events, sim.NodeEvent{At: c.At, Node: up, Up: true})
		}
	}
	return events
}

// Jobs returns n jobs for Market, the k-th submitted k half-hours after the first.
func Jobs(n int) []sim.Job {
	jobs := make([]sim.Job, n)
	for i := range jobs {
		jobs[i] = sim.Job{Name: fmt.Sprintf("job-%d", i), Submit: time.Duration(i) * 30 * time.Minute,
			Model:            Linear{PerWorker: 1, Stall: 20 * time.Second, Reshape: 5 * time.Second, Save: 10 * time.Second, Served: 3, Chief: ChiefRollsBack},
			Objective:        sim.Objective{Loss: LossAt(3 * 3600), Within: 2 * time.Hour},
			ParameterServers: 1, ParameterServerPrice: 0.192, StorageGB: 10, StoragePrice: 0.1}
	}
	return jobs
}
