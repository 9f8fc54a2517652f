package parcae

import (
	"encoding/binary"

	"github.com/marigram/marigram/sim"
)

// rememberedChoices keeps the layouts that Parcae chose for a model, by all that they depend on:
// forecast and plan are functions of that, and most decisions of a sweep were made before.
type rememberedChoices struct {
	model sim.Model
	max   int // instances that the job can use
	known map[string]Shape
	key   []byte // of the decision under way, empty if it has none
}

// choices returns what is remembered of a model whose jobs can use n instances.
func (p *Parcae) choices(model sim.Model, largest int) *rememberedChoices {
	for _, c := range p.chosen {
		if c.model == model && c.max == largest {
			return c
		}
	}
	c := &rememberedChoices{model: model, max: largest, known: map[string]Shape{}}
	p.chosen = append(p.chosen, c)
	return c
}

// ask puts what a decision depends on into the key. It reports false if there are too many
// instances for one.
func (r *rememberedChoices) ask(now State, n int, past []float64) bool {
	key, largest := r.key[:0], 0
	for _, x := range [4]int{now.Instances, now.Shape.Pipelines, now.Shape.Stages, n} {
		key, largest = binary.LittleEndian.AppendUint16(key, uint16(x)), max(largest, x)
	}
	for _, x := range past {
		key, largest = binary.LittleEndian.AppendUint16(key, uint16(x)), max(largest, int(x))
	}
	if largest > 1<<16-1 {
		key = key[:0]
	}
	r.key = key
	return len(key) > 0
}

// remember keeps what was chosen.
func (r *rememberedChoices) remember(chosen Shape) {
	if len(r.key) == 0 {
		return
	}
	if len(r.known) == maxPlans {
		clear(r.known)
	}
	r.known[string(r.key)] = chosen
}
