package policies_test

import (
	"testing"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Every registered policy for jobs that share a cluster passes the suite.
func TestClusterSuite(t *testing.T) {
	for _, info := range policies.List() {
		if info.Needs < policies.Gangs || info.Needs == policies.Sessions {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			largest := 4
			if info.Name == "allox" {
				largest = 1 // it is for jobs of one GPU
			}
			simtest.Suite(t, func(*sim.Market) sim.Policy { return info.Defaults() }, simtest.Clusters(largest))
		})
	}
}
