package ondemand

import (
	"github.com/marigram/marigram/sim"
)

func (x *lost) all(m sim.Model, l *sim.Layout) sim.Pause {
	x.places = x.places[:0]
	for d := range l.Pipelines {
		for s := range l.Stages {
			x.places = append(x.places, sim.Place{Pipeline: d, Stage: s})
		}
	}
	n := int32(l.Total())
	x.change = sim.Change{From: l, To: l, Lost: n, Worked: n, ChiefLost: true, Vacated: true, LostPlaces: x.places,
		Grid: sim.Place{Pipeline: l.Pipelines, Stage: l.Stages}}
	return m.Change(&x.change)
}

// Loss returns what it costs that all instances of the fastest cluster go at once; of a job that nothing on demand can
// train it is nothing.
func (p *Planner) Loss() sim.Pause {
	if t := p.table; !t.asked && len(t.clusters) > 0 {
		c := &t.clusters[len(t.clusters)-1]
		p.to = sim.Layout{Workers: c.Counts, Pipelines: int32(c.Pipelines), Stages: int32(c.Stages), Servers: p.servers}
		t.loss, t.asked = p.lost.all(p.model, &p.to), true
	}
	return p.table.loss
}
