package bamboo

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/sim"
)

// What the draws of a fleet are for.
const (
	purposeGoes   = sim.PurposeUser + 211 // whether something happens within the hour
	purposeSecond = sim.PurposeUser + 212 // at which second of it
	purposeComes  = sim.PurposeUser + 215 // with which probability places are filled in an hour of the day
)

const (
	secondUs = int64(1e6)
	hourUs   = 3600 * secondUs
)

// machineEvent says that a machine came or went.
type machineEvent struct {
	at      int64 // us
	machine int   // from 1, in the order in which they come
	came    bool
}

// fleet is the hourly Bernoulli process of Bamboo's simulator (uclasystem/bamboo at 80809293,
// project_pactum/simulation/simulator.py). At time 0, capacity draws, each bringing a machine with the probability of
// coming of hour 0. At each whole hour every machine there draws whether it goes within the hour, and at which whole
// second; then as many draws as places are free or will be, each a machine that comes at a whole second, with the
// hour's probability. In order of time, additions first at one second, those that find the capacity taken are dropped;
// a machine that came draws at once whether it goes within the hour, which counts only if it is not before it came.
//
// The probabilities of coming are drawn for each of the 24 hours of the day from U(0, 1) by the seed, as in the
// published table. The random numbers are ours, not Python's: traces agree in distribution.
//
// A fleet keeps its memory from one trace to the next.
type fleet struct {
	capacity int
	goes     float64 // probability with which a machine goes within an hour

	dice    sim.Rand
	draws   uint64
	there   []int          // machines, in the order in which they came
	last    int            // number of the last that came
	leaving []machineEvent // in the present hour, in order
	coming  []int64        // in the present hour, in order, us
	events  []machineEvent
}

// draw returns what happens within the hours, in order. More hours with the same seed begin alike. The slice is valid
// until the next call.
func (f *fleet) draw(seed uint64, hours int) []machineEvent {
	f.dice = sim.Rand{Seed: seed}
	f.draws = 0
	f.there = f.there[:0]
	f.last = 0
	f.events = f.events[:0]
	for range f.capacity {
		if f.happens(f.comes(0)) {
			f.come(0)
		}
	}
	for hour := range hours {
		f.passHour(int64(hour)*hourUs, hour%24)
	}
	return f.events
}

// passHour appends what happens within an hour that begins at an instant.
func (f *fleet) passHour(from int64, hourOfDay int) {
	f.planHour(from, hourOfDay)
	leaving := f.leaving
	coming := f.coming
	for len(leaving) > 0 || len(coming) > 0 {
		if len(coming) == 0 || len(leaving) > 0 && leaving[0].at < coming[0] {
			f.leave(leaving[0])
			leaving = leaving[1:]
			continue
		}
		at := coming[0]
		coming = coming[1:]
		if len(f.there) == f.capacity {
			continue
		}
		machine := f.come(at)
		if f.happens(f.goes) {
			e := machineEvent{at: from + f.second(), machine: machine}
			if e.at >= at {
				i, _ := slices.BinarySearchFunc(leaving, e, inOrder)
				leaving = slices.Insert(leaving, i, e)
			}
		}
	}
}

// planHour draws which of the machines that are there go, and when more would come.
func (f *fleet) planHour(from int64, hourOfDay int) {
	f.leaving = f.leaving[:0]
	f.coming = f.coming[:0]
	for _, machine := range f.there {
		if f.happens(f.goes) {
			f.leaving = append(f.leaving, machineEvent{at: from + f.second(), machine: machine})
		}
	}
	comes := f.comes(hourOfDay)
	for range f.capacity - len(f.there) + len(f.leaving) {
		if f.happens(comes) {
			f.coming = append(f.coming, from+f.second())
		}
	}
	slices.Sort(f.coming)
	slices.SortFunc(f.leaving, inOrder)
}

func inOrder(a, b machineEvent) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.machine, b.machine))
}

func (f *fleet) come(at int64) (machine int) {
	f.last++
	f.there = append(f.there, f.last)
	f.events = append(f.events, machineEvent{at, f.last, true})
	return f.last
}

func (f *fleet) leave(e machineEvent) {
	i, _ := slices.BinarySearch(f.there, e.machine)
	f.there = slices.Delete(f.there, i, i+1)
	f.events = append(f.events, e)
}

// comes returns the probability with which a free place is filled in an hour of the day.
func (f *fleet) comes(hourOfDay int) float64 {
	return f.dice.Uniform(purposeComes, 0, uint64(hourOfDay))
}

// happens draws whether something of a probability happens.
func (f *fleet) happens(probability float64) bool {
	f.draws++
	return f.dice.Uniform(purposeGoes, 0, f.draws) < probability
}

// second draws a whole second of an hour, us.
func (f *fleet) second() int64 {
	f.draws++
	return int64(f.dice.Intn(purposeSecond, 0, f.draws, 3600)) * secondUs
}
