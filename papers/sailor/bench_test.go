package sailor

import (
	"testing"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// BenchmarkBest512 looks for the fastest and the cheapest layout on 512 GPUs of three types in five zones.
func BenchmarkBest512(b *testing.B) {
	set, err := layout.Open(pulled.Dir(b, "sailor"))
	if err != nil {
		b.Fatal(err)
	}
	runtime, err := layout.RuntimeNamed(layout.DefaultRuntime)
	if err != nil {
		b.Fatal(err)
	}
	var pools []layout.Pool
	for _, zone := range set.Links.Zones() {
		pools = append(pools, layout.Pool{GPU: "A100-40", Zone: zone, Node: 4, Nodes: 9, USDPerHour: 14.7},
			layout.Pool{GPU: "V100-16", Zone: zone, Node: 4, Nodes: 9, USDPerHour: 9.9},
			layout.Pool{GPU: "GH-96", Zone: zone, Node: 4, Nodes: 8, USDPerHour: 44})
	}
	for _, name := range []string{"OPT-350", "GPT-Neo-2.7", "OPT-30"} {
		p, err := set.Profile(name)
		if err != nil {
			b.Fatal(err)
		}
		m := layout.Model{Profile: p, Links: set.Links, Runtime: runtime}
		for goal, what := range []string{"fastest", "cheapest"} {
			b.Run(name+"/"+what, func(b *testing.B) {
				for b.Loop() {
					if _, err := m.Best(pools, 2048, layout.Want{Goal: layout.Goal(goal)}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
