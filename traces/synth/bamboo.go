package synth

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// bambooHourly is the hourly Bernoulli process of Bamboo's simulator
// (uclasystem/bamboo at 80809293, project_pactum/simulation/simulator.py). At
// time 0, `capacity` draws, each bringing a machine with the probability of
// coming of the starting hour. At each whole hour every machine there draws
// whether it goes within the hour, and at which whole second; then as many
// draws as places are free or will be, each a machine that comes at a whole
// second, with the hour's probability. In order of time, additions first at one
// second, those that find the capacity taken are dropped; a machine that came
// draws at once whether it goes within the hour, which counts only if it is not
// before it came.
//
// The probabilities of coming, where not given, are drawn for each of the 24
// hours of the day from U(0, 1) by the seed, as in the published table. The
// random numbers are ours, not Python's: traces agree in distribution.
type bambooHourly struct {
	Pools []BambooPool `json:"pools"`
}

var bambooEntry = modelEntry{
	name: "bamboo", what: "the hourly Bernoulli process of Bamboo's simulator",
	blank: func() Model { return new(bambooHourly) },
	fit:   fitBamboo,
	standard: func() (Model, []GeneratorPool) {
		// The middle row of Bamboo's generated table: BERT, 48 nodes, p .10.
		return &bambooHourly{[]BambooPool{{Capacity: 48, Goes: []float64{.10}}}}, standardPool(48)
	},
}

func (b *bambooHourly) rate([]GeneratorPool) float64 {
	largest := 0
	for _, p := range b.Pools {
		largest = max(largest, p.Capacity)
	}
	return 4 * float64(largest)
}

func (b *bambooHourly) check(pools []GeneratorPool) error {
	if err := each("pools", len(b.Pools), pools); err != nil {
		return err
	}
	for i, p := range b.Pools {
		if p.Capacity < 0 || p.Capacity > pools[i].Cap || p.StartHour < 0 || p.StartHour > 23 {
			return fmt.Errorf("pools[%d]: capacity %d, start_hour %d, expected 0 to %d, 0 to 23", i, p.Capacity, p.StartHour,
				pools[i].Cap)
		}
		if p.Capacity > 0 && len(p.Goes) == 0 {
			return fmt.Errorf("pools[%d]: p_goes_per_hour is missing", i)
		}
		for _, list := range [][]float64{p.Goes, p.Comes} {
			if n := len(list); n > 1 && n != 24 {
				return fmt.Errorf("pools[%d]: %d probabilities, expected 24, by hour of the day, or 1", i, n)
			}
			for hour, x := range list {
				if !within(x, 0, 1) {
					return fmt.Errorf("pools[%d]: probability %v of hour %d, expected 0 to 1", i, x, hour)
				}
			}
		}
	}
	return nil
}

func (b *bambooHourly) make(m *making) {
	for i, p := range b.Pools {
		if p.Capacity > 0 {
			f := bambooFleet{BambooPool: p, dice: m.dice, id: sim.NameEntity(m.pools[i].Name)}
			f.run(m.end)
			m.generated[i].machines = f.out
		}
	}
}

// fitBamboo takes from each whole hour the share of the machines there that
// went, and of the free places that were filled, by hour of the day since the
// start; hours of the day that were not seen have the mean of those that were.
// In counts, where machines have no names, those that went are taken to have
// been there when the hour began.
func fitBamboo(h *trace, _ FitOptions) (Model, error) {
	if !h.counted() {
		return nil, fmt.Errorf("no counts or machines were recorded, expected a trace with them")
	}
	b := &bambooHourly{Pools: make([]BambooPool, len(h.courses))}
	events := series.ByPool(h.set.InstanceEvents, len(h.courses))
	for i := range h.courses {
		if c := &h.courses[i]; len(c.spans) > 0 {
			b.Pools[i] = bambooOf(c, events[i])
		}
	}
	return b, nil
}

func bambooOf(c *course, events []traces.InstanceEventRow) BambooPool {
	var went, could, came, free [24]float64
	n, moves := c.start, c.moves
	for hour, t := 0, c.from; t < c.to; hour, t = hour+1, t+int64(series.HourUs) {
		until := t + int64(series.HourUs)
		begin, gone, arrived := n, 0, 0
		for len(moves) > 0 && moves[0].t < until {
			gone, arrived = gone+moves[0].gone, arrived+moves[0].came
			n += moves[0].came - moves[0].gone
			moves = moves[1:]
		}
		if len(events) > 0 {
			gone = wentOf(series.PresentAt(t, events), events, t, until)
		}
		gone = min(gone, begin)
		k := hour % 24
		went[k], could[k] = went[k]+float64(gone), could[k]+float64(begin)
		came[k], free[k] = came[k]+float64(arrived), free[k]+float64(max(c.top-begin+gone, arrived))
	}
	came[0], free[0] = came[0]+float64(c.start), free[0]+float64(c.top)
	return BambooPool{Capacity: c.top, Goes: shares(went, could), Comes: shares(came, free)}
}

// wentOf counts the machines of those there that go after an instant and before
// another.
func wentOf(there map[string]int, events []traces.InstanceEventRow, from, until int64) int {
	gone := 0
	for _, e := range events {
		if _, up := there[e.InstanceID]; up && e.Goes() && e.T > from && e.T < until {
			gone++
			delete(there, e.InstanceID)
		}
	}
	return gone
}

// shares divides by hour of the day.
func shares(part, of [24]float64) []float64 {
	var p, n float64
	for i := range part {
		p, n = p+part[i], n+of[i]
	}
	out := make([]float64, 24)
	for i := range out {
		switch {
		case of[i] > 0:
			out[i] = part[i] / of[i]
		case n > 0:
			out[i] = p / n
		}
	}
	return out
}

// BambooFleet draws traces of one pool of BambooHourly without making a set of
// them; the zero value is ready, and keeps its memory from one to the next.
type BambooFleet struct {
	fleet bambooFleet
	out   []MachineEvent
}

// MachineEvent says that a machine came or went.
type MachineEvent struct {
	At      int64 // us
	Machine int   // from 1, in the order in which they come
	Came    bool
}

// Draw returns what happens within the hours, in order. More hours with the same
// seed begin alike. The slice is valid until the next call.
func (b *BambooFleet) Draw(p BambooPool, seed uint64, hours int) []MachineEvent {
	f := &b.fleet
	*f = bambooFleet{BambooPool: p, dice: sim.Rand{Seed: seed}, there: f.there[:0], leaving: f.leaving, coming: f.coming,
		out: f.out[:0]}
	f.run(int64(hours) * int64(series.HourUs))
	b.out = b.out[:0]
	for _, e := range f.out {
		b.out = append(b.out, MachineEvent{e.t, e.id, e.up})
	}
	return b.out
}

const secondUs = int64(1e6)

// bambooFleet is one pool as its hours go by.
type bambooFleet struct {
	BambooPool
	dice    sim.Rand
	id      uint64
	there   []int // machines, in the order in which they came
	last    int   // number of the last that came
	draws   uint64
	leaving []machineEvent // in the present hour, in order
	coming  []int64
	out     []machineEvent
}

func (f *bambooFleet) run(end int64) {
	for range f.Capacity {
		if f.happens(f.comes(f.StartHour)) {
			f.come(0)
		}
	}
	for hour := 0; int64(hour)*int64(series.HourUs) < end; hour++ {
		f.hour(int64(hour)*int64(series.HourUs), (f.StartHour+hour)%24)
	}
	f.out = slices.DeleteFunc(f.out, func(e machineEvent) bool { return e.t >= end })
}

// hour makes what happens within an hour that begins at t.
func (f *bambooFleet) hour(t int64, hour int) {
	f.plan(t, hour)
	goes, comes := f.leaving, f.coming
	for len(goes) > 0 || len(comes) > 0 {
		if len(comes) == 0 || len(goes) > 0 && goes[0].t < comes[0] {
			f.leave(goes[0])
			goes = goes[1:]
			continue
		}
		at := comes[0]
		comes = comes[1:]
		if len(f.there) == f.Capacity {
			continue
		}
		e := machineEvent{id: f.come(at)}
		if f.happens(f.goes(hour)) {
			if e.t = t + f.second(); e.t >= at {
				i, _ := slices.BinarySearchFunc(goes, e, byTime)
				goes = slices.Insert(goes, i, e)
			}
		}
	}
}

// plan draws which of those that are there go, and when more would come.
func (f *bambooFleet) plan(t int64, hour int) {
	f.leaving, f.coming = f.leaving[:0], f.coming[:0]
	p := f.goes(hour)
	for _, machine := range f.there {
		if f.happens(p) {
			f.leaving = append(f.leaving, machineEvent{t: t + f.second(), id: machine})
		}
	}
	p = f.comes(hour)
	for range f.Capacity - len(f.there) + len(f.leaving) {
		if f.happens(p) {
			f.coming = append(f.coming, t+f.second())
		}
	}
	slices.Sort(f.coming)
	slices.SortFunc(f.leaving, byTime)
}

func byTime(a, b machineEvent) int { return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.id, b.id)) }

func (f *bambooFleet) come(t int64) (machine int) {
	f.last++
	f.there = append(f.there, f.last)
	f.out = append(f.out, machineEvent{t, f.last, true})
	return f.last
}

func (f *bambooFleet) leave(e machineEvent) {
	i, _ := slices.BinarySearch(f.there, e.id)
	f.there = slices.Delete(f.there, i, i+1)
	f.out = append(f.out, e)
}

func (f *bambooFleet) goes(hour int) float64 { return f.Goes[hour%len(f.Goes)] }

func (f *bambooFleet) comes(hour int) float64 {
	if len(f.Comes) == 0 {
		return f.dice.Uniform(purposeHourly, f.id, uint64(hour))
	}
	return f.Comes[hour%len(f.Comes)]
}

// happens draws whether something of a probability happens.
func (f *bambooFleet) happens(p float64) bool {
	f.draws++
	return f.dice.Uniform(purposeDies, f.id, f.draws) < p
}

// second draws a whole second of an hour, us.
func (f *bambooFleet) second() int64 {
	f.draws++
	return int64(f.dice.Intn(purposeDiesAt, f.id, f.draws, 3600)) * secondUs
}

// BambooPool is one pool's process; without Capacity it has no machines.
type BambooPool struct {
	Capacity  int       `json:"capacity_machines"`
	StartHour int       `json:"start_hour"`       // of the day, 0 to 23
	Goes      []float64 `json:"p_goes_per_hour"`  // by hour of the day: 24 probabilities, or 1 for all
	Comes     []float64 `json:"p_comes_per_hour"` // the same; none: drawn by the seed
}
