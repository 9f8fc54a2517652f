package safe

import "github.com/marigram/marigram/sim"

// lost asks a model what it costs that all instances go at once, the chief among them.
// It holds scratch memory.
type lost struct {
	change sim.Change
	places []sim.Place
}

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
