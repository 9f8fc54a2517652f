package synth

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/internal/series"
)

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
