package policyutil

import (
	"math"
	"reflect"

	"github.com/marigram/marigram/sim"
)

// Trial evaluates a model on numbers of instances of one type. It holds scratch
// memory.
type Trial struct{ layout sim.Layout }

// Layout returns the layout of the last Train.
func (t *Trial) Layout() *sim.Layout { return &t.layout }

// Train returns the seconds that the whole job trains on n instances without a
// pause, +Inf if it cannot, and the fastest layout on them.
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

// SameModel reports whether two models are one, of which what was worked out holds for the other: false for those of a type whose
// values cannot be compared.
func SameModel(a, b sim.Model) bool {
	return a != nil && reflect.TypeOf(a).Comparable() && a == b
}
