package synth

import (
	"fmt"

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
