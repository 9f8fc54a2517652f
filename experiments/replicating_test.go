package experiments

import (
	"path/filepath"
	"strings"
	"testing"
)

// A throughput contains replicated computation or it does not: Bamboo's that is a
// checkpointing policy's as well is warned of, in Bamboo's rows. The share that is
// replicated is booked, and neither costs nor slows anything down.
func TestReplicatingThroughput(t *testing.T) {
	dir, text, write := pipes(t)
	write("own.csv", "pipelines,stages,samples,step_s\n1,2,10,14\n2,2,10,7\n")
	spec := filepath.Join(dir, "spec.yaml")
	const checkpoint = "{name: checkpoint, settings: {interval_s: 600}}"
	cost := map[bool]float64{} // of bamboo at the shared speed, by whether its share is booked
	for _, c := range []struct {
		policies string
		warned   bool
	}{
		{checkpoint + ", {name: bamboo, recovery: {loss: covered}}", true},
		{checkpoint + ", {name: bamboo, recovery: {loss: covered, redundant: 0.4}}", true},
		{checkpoint + ", {name: bamboo, throughput: {table: own.csv}, recovery: {loss: covered}}", false},
		{"{name: bamboo, recovery: {loss: covered}}", false},
	} {
		write("spec.yaml", strings.Replace(text, checkpoint, c.policies, 1))
		for _, r := range runStudy(t, study(t, spec, 1)).Summaries {
			const says = "bamboo replicates computation, but has the same throughput as policies that do not (checkpoint)"
			if strings.Contains(r.Warnings, says) != (c.warned && r.Policy == "bamboo") {
				t.Errorf("%s: %s: warnings %q", c.policies, r.Policy, r.Warnings)
			}
			redundant := strings.Contains(c.policies, "redundant")
			if r.Policy == "bamboo" && redundant != (r.RedundantH > 0) {
				t.Errorf("%s: %v redundant hours", c.policies, r.RedundantH)
			}
			if r.Policy == "bamboo" && c.warned {
				cost[redundant] = r.CostUSD
			}
		}
	}
	if cost[true] == 0 || cost[true] != cost[false] {
		t.Errorf("%v USD with a redundant share, %v without", cost[true], cost[false])
	}
}
