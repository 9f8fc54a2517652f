package replay

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/describe"
)

// maxEvents bounds the events of one pool's machines.
const maxEvents = 1_000_000

// purposeHeld is the draws of how long held machines live; generators have those
// from 100 to 215.
const purposeHeld = sim.PurposeUser + 216

// drawn returns the machines of the adapters that draw lifetimes.
func (r Replay) drawn(t *Trace, w Window, pool int) ([]sim.NodeEvent, error) {
	f, err := r.drawnFleet(t, w, pool)
	if err != nil {
		return nil, err
	}
	counts := []sim.Capacity{{N: f.n}}
	if r.Adapter == LaunchOnly {
		counts = t.countCap(pool, w, r.Notice, r.scale())
	}
	if err := f.launch(counts); err != nil {
		return nil, err
	}
	return repeated(f.out, r.copies()), nil
}

func (r Replay) drawnFleet(t *Trace, w Window, pool int) (*drawnFleet, error) {
	distribution := r.Lifetime
	if distribution == nil {
		recorded := &t.series[pool]
		lifetimes, _ := describe.PoolLifetimes(recorded.events, recorded.gaps, recorded.end)
		curve := describe.KaplanMeier(lifetimes)
		if err := curve.Check(); err != nil {
			return nil, fmt.Errorf("%w; or a distribution of lifetimes (Lifetime)", err)
		}
		distribution = curve
	}
	until := cmp.Or(w.Until, t.series[pool].end)
	return &drawnFleet{
		distribution: distribution,
		dice:         sim.Rand{Seed: r.Seed},
		id:           sim.NameEntity(cmp.Or(r.StreamName, t.pools[pool].Name)),
		n:            r.N / r.copies(),
		end:          sim.Time(until - w.From).Add(r.Notice),
	}, nil
}

// drawnFleet is machines whose lifetimes are drawn.
type drawnFleet struct {
	distribution describe.LifetimeDistribution
	dice         sim.Rand
	id           uint64
	n            int      // machines wanted
	end          sim.Time // until when they are followed

	free      []int // slots, ascending
	deaths    deaths
	lifetimes []uint64 // by slot: how many were drawn
	out       []sim.NodeEvent
}

// deaths is a queue of machines by the instant of death.
type deaths []death

type death struct {
	at   sim.Time
	slot int
}

func (d deaths) Len() int { return len(d) }
func (d deaths) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].slot < d[j].slot
}
func (d deaths) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *deaths) Push(x any)   { *d = append(*d, x.(death)) }
func (d *deaths) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// launch follows the machines: while fewer are there than wanted and than the
// counts have room for, another comes. A slot is taken again a microsecond
// after its machine died at the earliest, as sim.NewMarket requires.
func (f *drawnFleet) launch(counts []sim.Capacity) error {
	f.lifetimes = make([]uint64, f.n)
	for slot := range f.n {
		f.free = append(f.free, slot)
	}
	capacity := 0
	for now := sim.Time(0); now < f.end; {
		for len(counts) > 0 && counts[0].At <= now {
			capacity = counts[0].N
			counts = counts[1:]
		}
		for len(f.free) > 0 && f.n-len(f.free) < capacity {
			f.come(now)
		}
		if len(f.out) > maxEvents {
			return fmt.Errorf("lifetimes of the distribution %s are too short: more than %d events",
				f.distribution, maxEvents)
		}
		next := f.end
		if len(counts) > 0 {
			next = min(next, counts[0].At)
		}
		if len(f.deaths) > 0 {
			next = min(next, f.deaths[0].at.Add(time.Microsecond))
		}
		f.die(next)
		now = next
	}
	return nil
}

// die takes the machines that die before an instant.
func (f *drawnFleet) die(before sim.Time) {
	for len(f.deaths) > 0 && f.deaths[0].at < before {
		d := heap.Pop(&f.deaths).(death)
		f.out = append(f.out, sim.NodeEvent{At: d.at, Node: d.slot})
		i, _ := slices.BinarySearch(f.free, d.slot)
		f.free = slices.Insert(f.free, i, d.slot)
	}
}

func (f *drawnFleet) come(now sim.Time) {
	slot := f.free[0]
	f.free = f.free[1:]
	f.out = append(f.out, sim.NodeEvent{At: now, Node: slot, Up: true})
	machine := f.id + uint64(slot)*0x9e3779b97f4a7c15
	hours := f.distribution.Quantile(f.dice.Uniform(purposeHeld, machine, f.lifetimes[slot]))
	f.lifetimes[slot]++
	heap.Push(&f.deaths, death{now.After(math.Max(1e-6, hours*3600)), slot})
}

// repeated lets every machine stand for some copies, which come and go together.
func repeated(nodes []sim.NodeEvent, copies int) []sim.NodeEvent {
	if copies == 1 {
		return nodes
	}
	out := make([]sim.NodeEvent, 0, len(nodes)*copies)
	for _, n := range nodes {
		for i := range copies {
			out = append(out, sim.NodeEvent{At: n.At, Node: n.Node*copies + i, Up: n.Up})
		}
	}
	return out
}

// underBid returns room for n machines while the price is not above the bid. Where
// no price is known at the start, the first one known holds from there, as in
// PriceHistory.
func (t *Trace) underBid(pool int, w Window, notice time.Duration, bid float64, n int) []sim.Capacity {
	var out []sim.Capacity
	add := func(at sim.Time, price float64) {
		capacity := n
		if price > bid {
			capacity = 0
		}
		if k := len(out); k == 0 {
			out = append(out, sim.Capacity{N: capacity})
		} else if out[k-1].N != capacity {
			out = append(out, sim.Capacity{At: at, N: capacity})
		}
	}
	prices := t.series[pool].prices
	w.steps(prices, w.cutoff(notice.Microseconds()), add)
	if len(out) == 0 && len(prices) > 0 { // they begin after the window
		add(0, prices[0].V)
	}
	return out
}
