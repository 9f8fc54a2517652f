package sweep

import (
	"fmt"
	"testing"
)

// A pool that is never used changes no number: runs pair across cells with other pools. The boots of instances on
// demand, and which instances are taken, are those of the pool, however many others there are. A third zone that is
// cheap is used.
func TestUnusedPools(t *testing.T) {
	for name, same := range map[string]bool{"zones": true, "pools": true, "cheap": false} {
		f := begin(t, planFile(t, "testdata/unusedpool/"+name+".yaml"))
		runAll(t, f, Options{Workers: 1, Shard: Whole})
		first := map[string]float64{} // cost, by all but the cell
		differ := 0
		for _, r := range rowsOf(t, f) {
			of := fmt.Sprint(r.Policy, " ", r.Objective, " ", r.Seed, " ", r.StartS)
			usd, seen := first[of]
			if !seen {
				first[of] = r.CostUSD
			} else if usd != r.CostUSD {
				differ++
			}
		}
		if (differ == 0) != same {
			t.Errorf("%s: %d of the later cells' runs cost something else, expected none: %v", name, differ, same)
		}
	}
}
