package mdp_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/sim"
)

// timed counts the decisions of a policy, and how long they take.
type timed struct {
	*mdp.MDP
	decisions int
	sum, most time.Duration
}

func (p *timed) Decide(v sim.View, plan *sim.Plan) {
	begin := time.Now()
	p.MDP.Decide(v, plan)
	took := time.Since(begin)
	p.decisions++
	p.sum += took
	p.most = max(p.most, took)
}

// BenchmarkDecision measures decisions by the number of spot pools and the deadline: the mean, the slowest, which fills
// a table, what tables take, and how many clusters there are to choose from.
func BenchmarkDecision(b *testing.B) {
	for _, of := range []struct {
		kind  string
		pools int
	}{{"ps", 1}, {"dp3", 3}, {"ps-wide", 10}, {"hourly", 1}} {
		k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == of.kind })]
		for _, times := range []float64{1.3, 2, 4} {
			b.Run(fmt.Sprintf("%s/pools=%d/deadline=%v", of.kind, of.pools, times), func(b *testing.B) {
				k.measureDecisions(b, times)
			})
		}
	}
}

func (k kind) measureDecisions(b *testing.B, times float64) {
	k.hours = 40
	alone := k.config(b, &law{name: "never"}, 1, "ondemand")
	alone.Jobs[0].Objective.Within = time.Second
	w, err := sim.New(alone)
	if err != nil {
		b.Fatal(err)
	}
	within := time.Duration(times * float64(w.Run().Jobs[0].Elapsed))
	k.hours = within.Hours() + 1
	common := markets[slices.IndexFunc(markets, func(l law) bool { return l.name == "common" })]
	c := k.config(b, &common, 1, "mdp")
	c.Jobs[0].Objective.Within = within
	least := &timed{sum: time.Hour, most: time.Hour} // what else the computer does only adds
	for b.Loop() {
		p := &timed{MDP: mdp.New()} // as a first run: with no table
		c.Policy = p
		if w, err = sim.New(c); err != nil {
			b.Fatal(err)
		}
		w.Run()
		p.sum = min(p.sum, least.sum)
		p.most = min(p.most, least.most)
		least = p
	}
	clusters, bytes := least.Sizes()
	b.ReportMetric(least.sum.Seconds()*1000/float64(least.decisions), "ms/decision")
	b.ReportMetric(least.most.Seconds()*1000, "ms/slowest")
	b.ReportMetric(float64(least.decisions), "decisions/run")
	b.ReportMetric(float64(clusters), "clusters")
	b.ReportMetric(float64(bytes)/1e6, "MB")
}

// BenchmarkThousands measures whole runs of a data-parallel job on up to 2,048 instances.
func BenchmarkThousands(b *testing.B) {
	k := kindNamed(b, "dp")
	k.wide = 256
	k.quota = []int{8 * k.wide}
	common := markets[slices.IndexFunc(markets, func(l law) bool { return l.name == "common" })]
	for _, name := range []string{"ondemand", "spotdnn-safe", "mdp"} {
		b.Run(name, func(b *testing.B) {
			c := k.timed(b, &common, 2, 1, name)
			for b.Loop() {
				policy, err := policies.New(name) // as a first run: with no table
				if err != nil {
					b.Fatal(err)
				}
				c.Policy = policy
				w, err := sim.New(c)
				if err != nil {
					b.Fatal(err)
				}
				w.Run()
			}
		})
	}
}
