package reference

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// checked gives out recorded shares, and compares their least normalised speed with that of a
// rule of ours in the same state.
type checked struct {
	t        *testing.T
	recorded *replayed
	ours     share.Rule
	agnostic bool
	compared *int
}

func (c *checked) Share(in *share.Input, x *share.Shares) {
	var y share.Shares
	c.ours.Share(in, &y)
	c.recorded.Share(in, x)
	if len(in.Jobs) == 0 {
		return
	}
	if got, want := c.leastSpeed(in, &y), c.leastSpeed(in, x); !near.Is(got, want, 1e-6*want) {
		c.t.Errorf("call %d, %d jobs: the least normalised speed is %v, recorded %v", c.recorded.next-1, len(in.Jobs),
			got, want)
	}
	*c.compared++
}

// leastSpeed is the least normalised speed.
func (c *checked) leastSpeed(in *share.Input, x *share.Shares) float64 {
	has, gpus := make([]float64, len(in.Jobs)), 0
	for _, n := range in.GPUs {
		gpus += n
	}
	speed := func(i, m int) float64 {
		if c.agnostic {
			return 1
		}
		return in.Jobs[i].Speed[m]
	}
	for k, j := range x.Jobs {
		for m, v := range x.X[k] {
			has[j] += v * speed(j, m)
		}
	}
	smallest := math.Inf(1)
	for i := range in.Jobs {
		even := 0.0
		for m, n := range in.GPUs {
			even += speed(i, m) * float64(n) / float64(gpus)
		}
		smallest = min(smallest, float64(in.Jobs[i].GPUs)/in.Jobs[i].Weight*has[i]/even)
	}
	return smallest
}

// In every state of the recorded simulations our max-min fairness reaches the recorded optimum.
func TestOptima(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	for policy, rule := range map[string]func() share.Rule{
		"max_min_fairness_perf": func() share.Rule { return &share.MaxMin{} },
		"max_min_fairness":      func() share.Rule { return &share.MaxMin{Agnostic: true} },
	} {
		compared := 0
		for _, tr := range traces(t) {
			recorded := allocations(t, tr.name)[policy]
			if recorded == nil {
				continue
			}
			c := Config{Jobs: tr.jobs, GPUs: tr.gpus, Order: fastestFirst, Seed: tr.seed,
				Shuffle: policy == "max_min_fairness",
				Rule:    &checked{t, recorded, rule(), policy == "max_min_fairness", &compared}}
			Run(c)
		}
		t.Logf("%s: %d optima", policy, compared)
	}
}
