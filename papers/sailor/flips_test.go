package sailor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/papers/sailor/reference"
)

// sailorsRules are the rules of Sailor's simulator as a runtime of ours, as far as it can say them: a search by it finds
// layouts that are fast by those rules.
var sailorsRules = layout.Runtime{Name: "sailor", Compute: 1, Exposed: 1, Sync: 1, BaseGB: 5.06, State: 6, Kept: 1}

// cluster is one of two GPU types in one zone, on nodes of four.
type cluster struct {
	network string
	gpus    [2]string
	nodes   [2]int
}

// flips.csv has, for clusters of two GPU types, the best layouts over the factor of transfers from the least to the
// largest of the runtimes, with their times at both ends by our model, by the rules of Sailor's simulator, and the least
// that a search finds by those rules.
func TestFlips(t *testing.T) {
	set, err := layout.Open(pulled.Dir(t, "sailor"))
	if err != nil {
		t.Fatal(err)
	}
	low, high := layout.ExposedRange()
	var text strings.Builder
	fmt.Fprintf(&text, "network,gpus,exposed_from,exposed_to,step_s_at_%.2f,step_s_at_%.2f,step_s_by_sailors_rules,least_by_sailors_rules,layout\n", low, high)
	rows := 0
	for _, gpus := range [][2]string{{"A100-40", "V100-16"}, {"GH-96", "A100-40"}} {
		for _, network := range []string{"OPT-350", "GPT-Neo-2.7"} {
			for _, nodes := range [][2]int{{4, 4}, {4, 12}, {8, 8}, {8, 16}, {8, 24}, {16, 8}, {16, 16}, {32, 32}, {16, 64}} {
				rows += writeFlips(t, &text, set, cluster{network, gpus, nodes})
			}
		}
	}
	testutil.GoldenText(t, "flips.csv", text.String())
	testutil.Compared(t, "sailor", rows)
}

// writeFlips writes the rows of one cluster and returns how many there are.
func writeFlips(t *testing.T, text *strings.Builder, set *layout.Set, c cluster) int {
	t.Helper()
	profile, err := set.Profile(c.network)
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := layout.RuntimeNamed(layout.DefaultRuntime)
	if err != nil {
		t.Fatal(err)
	}
	const zone = "us-central1-a"
	pools := []layout.Pool{
		{GPU: c.gpus[0], Zone: zone, Node: 4, Nodes: c.nodes[0]},
		{GPU: c.gpus[1], Zone: zone, Node: 4, Nodes: c.nodes[1]},
	}
	ours := layout.Model{Profile: profile, Links: set.Links, Runtime: runtime}
	low, high := layout.ExposedRange()
	chosen, err := ours.BestByExposed(pools, 1024, layout.Want{}, low, high)
	if err != nil {
		t.Fatal(err)
	}
	theirs := layout.Model{Profile: profile, Links: set.Links, Runtime: sailorsRules}
	fastest, err := theirs.Best(pools, 1024, layout.Want{})
	if err != nil {
		t.Fatal(err)
	}
	rules := reference.Simulator{Profile: profile, Links: set.Links}
	least := sailorStep(t, &rules, &fastest.Layout)
	for i := range chosen {
		least = min(least, sailorStep(t, &rules, &chosen[i].Layout))
	}
	for i := range chosen {
		best := &chosen[i]
		fmt.Fprintf(text, "%s,%d %s + %d %s,%.2f,%.2f,%.3f,%.3f,%.3f,%.3f,%q\n", c.network, 4*c.nodes[0], c.gpus[0], 4*c.nodes[1], c.gpus[1],
			best.From, best.To, best.AtFrom.Step, best.AtTo.Step, sailorStep(t, &rules, &best.Layout), least, best.Layout.String())
	}
	return len(chosen)
}

func sailorStep(t *testing.T, rules *reference.Simulator, of *layout.Layout) float64 {
	t.Helper()
	step, err := rules.Step(of)
	if err != nil {
		t.Fatal(err)
	}
	return step
}
