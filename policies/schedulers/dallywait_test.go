package schedulers

import (
	"testing"
	"time"
)

// By the settings each tier above racks takes as much longer as racks took; tuned, floors rise tier by tier, and
// waits that jobs of as many GPUs had for the tier below raise them.
func TestDallyWaitsByTier(t *testing.T) {
	set := &Dally{Lease: time.Minute, Rack: 2, Network: 5, History: 24}
	for apart, want := range []float64{1: 2, 2: 5, 3: 8, 4: 11} {
		if got := set.wait(&delays{}, 4, apart); apart > 0 && got != want {
			t.Errorf("settings, %d apart: %v leases, expected %v", apart, got, want)
		}
	}
	tuned, waits := NewDally(), &delays{}
	for apart, want := range []float64{1: 6, 2: 12, 3: 18, 4: 24, 5: 24} {
		if got := tuned.wait(waits, 4, apart); apart > 0 && got != want {
			t.Errorf("tuned, %d apart: %v leases, expected %v", apart, got, want)
		}
	}
	waits.note(2, 4, 20, 0, tuned.span()) // jobs of 4 GPUs waited 20 leases for a place of the tier above racks
	for _, x := range []struct {
		gpus, apart int
		want        float64
	}{{4, 3, 20}, {4, 2, 12}, {2, 3, 18}} {
		if got := tuned.wait(waits, x.gpus, x.apart); got != x.want {
			t.Errorf("after a wait, %+v: %v leases", x, got)
		}
	}
}
