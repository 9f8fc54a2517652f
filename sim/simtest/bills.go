package simtest

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// parts are the parts of a bill, and whether pools have them: the others are of jobs.
var parts = []struct {
	name   string
	of     func(*sim.Bill) float64
	pooled bool
}{
	{"spot", func(b *sim.Bill) float64 { return b.Spot }, true},
	{"on demand", func(b *sim.Bill) float64 { return b.OnDemand }, true},
	{"parameter servers", func(b *sim.Bill) float64 { return b.ParameterServers }, false},
	{"storage", func(b *sim.Bill) float64 { return b.Storage }, false},
	{"transfers", func(b *sim.Bill) float64 { return b.Transfers }, false},
	{"disks", func(b *sim.Bill) float64 { return b.Disks }, true},
	{"checkpoints", func(b *sim.Bill) float64 { return b.Checkpoints }, false},
	{"commitments", func(b *sim.Bill) float64 { return b.Commitments }, true},
	{"top-up", func(b *sim.Bill) float64 { return b.TopUp }, true},
	{"refund", func(b *sim.Bill) float64 { return b.Refund }, true},
	{"tax", func(b *sim.Bill) float64 { return b.Tax }, false},
	{"total", (*sim.Bill).Total, false},
}

// Bills returns what is wrong if the bills of the jobs, with what is no job's, do not add up to that of the run, part
// by part, or those of the pools with what jobs pay beside instances do not.
func Bills(totals *sim.Totals) error {
	for _, part := range parts {
		all := part.of(&totals.Bill)
		of := part.of(&totals.Unallocated)
		at := 0.0
		for i := range totals.Jobs {
			of += part.of(&totals.Jobs[i].Bill)
		}
		for i := range totals.Pools {
			at += part.of(&totals.Pools[i].Bill)
		}
		switch {
		case off(of, all):
			return fmt.Errorf("%s: the jobs have %v USD with the %v that are no job's, the bill says %v",
				part.name, of, part.of(&totals.Unallocated), all)
		case !part.pooled: // jobs' own
		case part.name == "top-up" && totals.Bill.ParameterServers > 0: // they have a top-up, too
			if at > all*(1+1e-9) {
				return fmt.Errorf("top-up: the pools have %v USD, the bill says %v", at, all)
			}
		case off(at, all):
			return fmt.Errorf("%s: the pools have %v USD, the bill says %v", part.name, at, all)
		}
	}
	return nil
}

// off reports whether two sums of the same differ by more than rounding, or one is no number.
func off(a, b float64) bool { return !near.Is(a, b, 1e-9*max(1, math.Abs(b))) }
