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

// flips.csv has, for clusters of two GPU types, the best layouts over the factor of transfers from the least to the
// largest of the runtimes, with their times at both ends by our model, and by the rules of Sailor's simulator.
func TestFlips(t *testing.T) {
	set, err := layout.Open(pulled.Dir(t, "sailor"))
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := layout.RuntimeNamed(layout.DefaultRuntime)
	if err != nil {
		t.Fatal(err)
	}
	low, high := layout.ExposedRange()
	const zone = "us-central1-a"
	var text strings.Builder
	fmt.Fprintf(&text, "network,a100,v100,exposed_from,exposed_to,step_s_at_%.2f,step_s_at_%.2f,step_s_by_sailors_rules,layout\n", low, high)
	rows := 0
	for _, network := range []string{"OPT-350", "GPT-Neo-2.7"} {
		p, err := set.Profile(network)
		if err != nil {
			t.Fatal(err)
		}
		m := layout.Model{Profile: p, Links: set.Links, Runtime: runtime}
		rules := reference.Simulator{Profile: p, Links: set.Links}
		for _, nodes := range [][2]int{{4, 4}, {4, 12}, {8, 8}, {8, 16}, {8, 24}, {16, 8}, {16, 16}, {32, 32}, {16, 64}} {
			pools := []layout.Pool{
				{GPU: "A100-40", Zone: zone, Node: 4, Nodes: nodes[0]},
				{GPU: "V100-16", Zone: zone, Node: 4, Nodes: nodes[1]},
			}
			chosen, err := m.BestByExposed(pools, 1024, layout.Want{}, low, high)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range chosen {
				sailor, err := rules.Step(&c.Layout)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&text, "%s,%d,%d,%.2f,%.2f,%.3f,%.3f,%.3f,%q\n", network, 4*nodes[0], 4*nodes[1], c.From, c.To, c.AtFrom.Step, c.AtTo.Step,
					sailor, c.Layout.String())
				rows++
			}
		}
	}
	testutil.GoldenText(t, "flips.csv", text.String())
	testutil.Compared(t, "sailor", rows)
}
