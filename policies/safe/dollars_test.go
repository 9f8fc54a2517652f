package safe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// Twice the prices change nothing but the bill, which doubles: decisions know no amount of money of their own.
func TestDoubledPrices(t *testing.T) {
	for k := range uint64(24) {
		var usd [2]float64
		var ends [2]time.Duration
		name := ""
		for i, times := range []float64{1, 2} {
			seed := *promiseSeed*4_000_037 + k
			d := dice{Rand: sim.Rand{Seed: seed}, n: new(uint64)}
			name = ""
			types, makeJob, bases := d.job(t, &name)
			m := d.pools(t, types, times, &name)
			job := makeJob(m)
			job.ParameterServerPrice *= times
			job.Objective.Within = time.Second
			soonest, _, _ := run(t, ondemand.New(), m, job, seed)
			job.Objective.Within = time.Duration((1 + 2*d.real()) * float64(soonest.Elapsed))
			p, err := policies.New("safe:" + pick(d, bases...))
			if err != nil {
				t.Fatal(err)
			}
			r, bill, _ := run(t, p, m, job, seed)
			usd[i] = bill
			ends[i] = r.Elapsed
		}
		near.Rel(t, fmt.Sprintf("case %d (%s): USD with twice the prices", k, name), usd[1], 2*usd[0], 1e-9)
		if ends[0] != ends[1] {
			t.Errorf("case %d (%s): ends after %v, with twice the prices after %v", k, name, ends[0], ends[1])
		}
	}
}
