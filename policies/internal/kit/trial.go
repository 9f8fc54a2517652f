package kit

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// Trial tries numbers of instances of one type on a model. Its memory is scratch.
type Trial struct{ layout sim.Layout }

// Train returns how long the whole job trains on n instances without a pause, in
// seconds, +Inf if it cannot, and the layout that is fastest on them.
func (t *Trial) Train(m sim.Model, o sim.Objective, servers, n int) (seconds float64, l *sim.Layout) {
	l = &t.layout
	l.Workers, l.Servers = append(l.Workers[:0], int32(n)), int32(servers)
	if m, ok := m.(sim.PipelineModel); ok {
		pipelines, stages := m.Best(n)
		l.Pipelines, l.Stages = int32(pipelines), int32(stages)
	}
	rate := m.Rate(l).Progress
	if rate == 0 {
		return math.Inf(1), l
	}
	return (m.Goal(o.Loss) - m.Begin(l)) / rate, l
}
