package policies_test

import (
	"testing"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Every registered policy for jobs that share a cluster passes the suite.
func TestClusterSuite(t *testing.T) {
	for _, info := range policies.List() {
		if info.Needs < policies.Gangs || info.Needs == policies.Sessions || info.Needs == policies.Layouts {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			fit := schedulers.InCluster
			if f, says := info.Defaults().(interface{ Fits() schedulers.Fit }); says {
				fit = f.Fits()
			}
			largest := map[schedulers.Fit]int{schedulers.InCluster: 8, schedulers.OnModel: 4, schedulers.OnGPU: 1}[fit]
			options := []simtest.Option{simtest.Clusters(largest)} // a server has 4 GPUs
			if info.Needs == policies.Gangs && (fit == schedulers.OnModel || fit == schedulers.OnGPU) {
				options = append(options, simtest.Allocations(200)) // they solve programs
			}
			simtest.Suite(t, func(*sim.Market) sim.Policy { return info.Defaults() }, options...)
		})
	}
}
