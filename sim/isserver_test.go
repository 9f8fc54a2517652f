package sim_test

import (
	"testing"

	"github.com/marigram/marigram/sim"
)

// A server stays one's own when it may fail, or be away because it was slow; machines of pools do not become it.
func TestIsServer(t *testing.T) {
	for _, c := range []struct {
		name string
		pool sim.Pool
		want bool
	}{
		{"always there", sim.Pool{Reserved: true}, true},
		{"fails", sim.Pool{Failures: &sim.Failures{Whole: true}}, true},
		{"away when slow", sim.Pool{Slow: &sim.Slow{Whole: true}}, true},
		{"spot", sim.Pool{}, false},
		{"slow spot", sim.Pool{Slow: &sim.Slow{}}, false},
		{"failing on demand", sim.Pool{OnDemand: true, Failures: &sim.Failures{}}, false},
	} {
		if is := c.pool.IsServer(); is != c.want {
			t.Errorf("%s: %v, want %v", c.name, is, c.want)
		}
	}
}
