package policies_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

var doubledFrom = flag.Uint64("doubled-from", 0, "first seed of TestDoubledPrices; 0: one that nobody has looked at")

// Where everything costs twice as much, every registered policy of one job decides as it did, on drawn markets.
func TestDoubledPrices(t *testing.T) {
	first := *doubledFrom
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	t.Logf("-doubled-from %d", first)
	runs := 0
	check := func(name string, seed uint64, jobs []sim.Job, fresh func() sim.Policy) {
		cheap := func(m *sim.Market) sim.Policy { return withMarket(fresh(), m) }
		dear := func(m *sim.Market) sim.Policy { return withMarket(withDoubledDollars(t, fresh()), m) }
		runs++
		if err := simtest.DoubledPrices(cheap, dear, seed, jobs); err != nil {
			t.Errorf("%s, seed %d: %v", name, seed, err)
		}
	}
	for seed := first; seed < first+uint64(testutil.Size(3, 20)); seed++ {
		for _, info := range policies.List() {
			if info.Needs != policies.MigratingPipelines && info.Needs < policies.Gangs && !foretold(&info) {
				check(info.Name, seed, simtest.Jobs(1), func() sim.Policy { return quick(info) })
			}
		}
		forPipelines(func(name string, needs policies.Needs, fresh func() sim.Policy) {
			check(name+" in pipelines", seed, inPipelines(needs)(1), fresh)
		})
	}
	t.Logf("%d pairs of runs", runs)
}

// withDoubledDollars doubles the settings of a policy that are amounts of money.
func withDoubledDollars(t *testing.T, p sim.Policy) sim.Policy {
	for _, x := range policies.Settings(p) {
		usd, number := x.Value.(float64)
		if !number || usd == 0 || !strings.Contains(x.Name, "usd") {
			continue
		}
		if err := policies.Configure(p, map[string]any{x.Name: 2 * usd}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}
