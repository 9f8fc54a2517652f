package world

import (
	"testing"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/sim"
)

func TestSteps(t *testing.T) {
	m := &Steps{Total: 1000, Speeds: []float64{4, 10, 0}, Capacity: ps.Unlimited(), Batch: 128}
	for _, x := range []struct {
		workers []int32
		speed   float64
		working int32
	}{{[]int32{0, 0, 0}, 0, 0}, {[]int32{2, 1, 0}, 18, 3}, {[]int32{0, 0, 5}, 0, 0}, {[]int32{1, 0, 5}, 4, 1}} {
		if p := m.Rate(&sim.Layout{Workers: x.workers}); p.Progress != x.speed || p.Samples != 128*x.speed || p.Working != x.working {
			t.Errorf("%v: %+v", x.workers, p)
		}
	}
	if m.Goal(0) != 1000 || m.Loss(400) != 600 {
		t.Errorf("goal %v, left %v", m.Goal(0), m.Loss(400))
	}
}
