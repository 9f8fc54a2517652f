package mdp

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// One spot instance at 1 USD/h and one on demand at 4 USD/h, which do 1 and 2 units of work a second, for a step of
// half an hour in which spot is there half of the time.
func someOption() *option {
	p := &planner{prices: []float64{1, 4}}
	p.now.table = &table{process: process{dt: 1800}}
	p.now.held.Counts = []int32{3, 0}
	o := &option{p: p, presence: 0.5, boot: 360}
	o.cluster.Counts = []int32{1, 1}
	o.cluster.USD = 5
	o.cluster.Rate = 3
	o.onDemand.USD = 4
	o.onDemand.Rate = 2
	return o
}

func TestOptionUntilTheNextDecision(t *testing.T) {
	check := near.Count(t)
	o := someOption()
	if usd := o.costOfStep(); check.Off(usd, (4+0.5*1)/2, 1e-12) {
		t.Errorf("%v USD, expected on demand and half of spot for half an hour", usd)
	}
	if work := o.gainedWork(); check.Off(work, (2+0.5*1)*1800, 1e-9) {
		t.Errorf("%v units of work, expected those on demand and half of those on spot", work)
	}
	o.keepsHeld = true
	if usd := o.costOfStep(); check.Off(usd, (4+0.5*1)/2+2*0.1, 1e-12) {
		t.Errorf("%v USD, expected two more spot instances for the six minutes of the boot", usd)
	}
}
