package gym

import (
	"github.com/marigram/marigram/sim"
)

// Field is one number of an observation.
type Field struct {
	Name string  `json:"name"`
	Low  float64 `json:"low"`
	High float64 `json:"high"` // may be reached
}

// maxHours stands for spans that are longer, or that never end.
const maxHours = 1000.0

// Fields describes observations. Spans are in hours, at most 1,000; instances are numbers.
func (g *Study) Fields() []Field { return g.task.fields() }

// Observe appends the present observation; after the end of an episode it is all zeros.
func (e *Env) Observe(to []float64) []float64 {
	if !e.begun || e.end != Running {
		return append(to, make([]float64, e.of.width)...)
	}
	return e.play.observe(e.world.View(), to)
}

func hours(seconds float64) float64 { return min(max(seconds/3600, -maxHours), maxHours) }

// span is the hours from an instant to another, below 0 where it is before it.
func span(from, to sim.Time) float64 { return hours(to.Sub(from).Seconds()) }

func until(t, now sim.Time) float64 {
	if t == sim.Never {
		return maxHours
	}
	return max(span(now, t), 0)
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
