package ondemand

import (
	"github.com/marigram/marigram/sim"
)

// lost asks a model what it costs that all instances go at once, the chief among them.
// It holds scratch memory.
type lost struct {
	change sim.Change
	places []sim.Place
}

// pauseOf returns the pause after the loss of a whole layout.
func (x *lost) pauseOf(m sim.Model, l *sim.Layout) sim.Pause {
	x.places = x.places[:0]
	for pipeline := range l.Pipelines {
		for stage := range l.Stages {
			x.places = append(x.places, sim.Place{Pipeline: pipeline, Stage: stage})
		}
	}
	all := int32(l.Total())
	x.change = sim.Change{
		From:       l,
		To:         l,
		Lost:       all,
		Worked:     all,
		ChiefLost:  true,
		Vacated:    true,
		LostPlaces: x.places,
		Grid:       sim.Place{Pipeline: l.Pipelines, Stage: l.Stages},
	}
	return m.Change(&x.change)
}

// Loss returns what it costs that all instances of the fastest cluster go at once; of a job that nothing on demand can
// train it is nothing.
func (p *Planner) Loss() sim.Pause {
	t := p.table
	if !t.asked && len(t.clusters) > 0 {
		p.to = p.layoutOf(p.largest())
		t.loss = p.lost.pauseOf(p.model, &p.to)
		t.asked = true
	}
	return t.loss
}
