package layout

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// random returns a model, pools and a batch, small enough to compare all layouts.
func random(r *rand.Rand) (*Model, []Pool, int) {
	layers := 1 + r.IntN(4)
	sizes, times := map[int][]Size{}, map[Point][]Time{}
	for _, tp := range []int{1, 2} {
		for l := range layers {
			x := float64(1 + (7*l)%3)
			sizes[tp] = append(sizes[tp], Size{Params: 2e8 * x / float64(tp), Output: 2e8 * x, Activations: 4e8 * x / float64(tp)})
		}
	}
	gpus := []string{"a-16", "b-24"}
	for _, gpu := range gpus {
		for _, micro := range []int{1, 2} {
			for _, tp := range []int{1, 2} {
				if r.IntN(5) == 0 {
					continue
				}
				var list []Time
				for range layers {
					t := (0.2 + r.Float64()) * float64(micro) / math.Pow(float64(tp), 0.8)
					list = append(list, Time{t, 2 * t, r.Float64() / 10})
				}
				times[Point{gpu, micro, tp}] = list
			}
		}
	}
	p, err := NewProfile("random", sizes, times)
	if err != nil {
		panic(err)
	}
	curves, egress := map[[2]End]Curve{}, map[[2]string]float64{}
	for _, from := range []string{"x", "y"} {
		for _, to := range []string{"x", "y"} {
			egress[[2]string{from, to}] = r.Float64() / 50
			for _, a := range gpus {
				for _, b := range gpus {
					for i := 1; i <= 2; i++ {
						for j := 1; j <= 2; j++ {
							if r.IntN(20) > 0 {
								curves[[2]End{{from, a, i}, {to, b, j}}] = Curve{-0.01, 0.3 * r.Float64(), 0.5 + r.Float64()}
							}
						}
					}
				}
			}
		}
	}
	var pools []Pool
	left := 2 + r.IntN(4)
	for left > 0 && len(pools) < 3 {
		node := 1 + r.IntN(2)
		n := 1 + r.IntN(2)
		pool := Pool{gpus[r.IntN(2)], []string{"x", "y"}[r.IntN(2)], node, n, 0.5 + r.Float64()}
		if left -= node * n; left >= -1 {
			pools = append(pools, pool)
		}
	}
	run := Runtime{Compute: 1 + r.Float64()/10, Exposed: 2 * r.Float64(), Sync: 1 + r.Float64(), BaseGB: 1, TPGB: 0.5, State: 3 + r.Float64(), Kept: 1}
	links, batch := NewLinks(curves, egress), 1+r.IntN(8)
	if r.IntN(2) == 0 { // what only layers from sizes have
		run.StageUS, run.UpdatePS = 2e5*r.Float64(), 1e4*r.Float64()
		links.SetInside(gpus[r.IntN(2)], Curve{0, 0, 1 + 10*r.Float64()})
	}
	return &Model{p, links, run}, pools, batch
}

// enumerate compares all layouts, one by one, by the model's own Cost.
func enumerate(m *Model, pools []Pool, batch int, want Want) (best float64, layouts int) {
	best = math.Inf(1)
	type option struct {
		pool  int
		place Place
	}
	var options []option
	total := 0
	for i, p := range pools {
		total += p.Node * p.Nodes
		for tp := 1; tp <= p.Node; tp *= 2 {
			options = append(options, option{i, Place{p.GPU, p.Zone, p.Node, tp}})
		}
	}
	used := make([]int, len(pools))
	var l Layout
	var stages func(from, d int)
	var replicas func(s *Stage, at, d int, then func())
	replicas = func(s *Stage, at, d int, then func()) {
		if len(s.Replicas) == d {
			then()
			return
		}
		for o := at; o < len(options); o++ {
			x := options[o]
			if used[x.pool]+x.place.TP > pools[x.pool].Node*pools[x.pool].Nodes {
				continue
			}
			used[x.pool] += x.place.TP
			s.Replicas = append(s.Replicas, x.place)
			replicas(s, o, d, then)
			s.Replicas = s.Replicas[:len(s.Replicas)-1]
			used[x.pool] -= x.place.TP
		}
	}
	stages = func(from, d int) {
		if from == m.Profile.Layers() {
			layouts++
			c, err := m.Cost(&l)
			if err != nil || !fitsAll(m, &l) {
				return
			}
			perHour := 0.0
			for i, p := range pools {
				perHour += float64((used[i]+p.Node-1)/p.Node) * p.USDPerHour
			}
			usd := perHour*c.Step/3600 + c.Egress
			if want.MaxUSD > 0 && usd > want.MaxUSD || want.MaxStep > 0 && c.Step > want.MaxStep {
				return
			}
			if want.Goal == Cheapest {
				best = min(best, usd)
			} else {
				best = min(best, c.Step)
			}
			return
		}
		for to := from + 1; to <= m.Profile.Layers(); to++ {
			var s Stage
			for i := from; i < to; i++ {
				s.Layers = append(s.Layers, i)
			}
			replicas(&s, 0, d, func() {
				l.Stages = append(l.Stages, s)
				stages(to, d)
				l.Stages = l.Stages[:len(l.Stages)-1]
			})
		}
	}
	for _, micro := range []int{1, 2} {
		for d := 1; d <= total && micro <= batch; d++ {
			l = Layout{Micro: micro, Batch: batch}
			stages(0, d)
		}
	}
	return best, layouts
}

// fitsAll reports whether each GPU has the memory that its stage needs.
func fitsAll(m *Model, l *Layout) bool {
	for i := range l.Stages {
		for _, p := range l.Stages[i].Replicas {
			one := Layout{Micro: l.Micro, Batch: l.Batch}
			for k := range l.Stages {
				s := Stage{Layers: l.Stages[k].Layers, Replicas: make([]Place, len(l.Stages[k].Replicas))}
				for j := range s.Replicas {
					s.Replicas[j] = p
				}
				if k != i { // of the others only the number of stages counts: no layers with any size
					s.Layers = nil
				}
				one.Stages = append(one.Stages, s)
			}
			var c Cost
			if m.memory(&one, &c) != nil || c.Memory > GPUMemory(p.GPU) {
				return false
			}
		}
	}
	return true
}

// The search finds the best layout of 1,000 random small sets: as fast, and as cheap, as the best of all layouts
// compared one by one, with and without bounds of money and time.
func TestSearchAgainstEnumeration(t *testing.T) {
	n := near.Count(t)
	layouts, none, sets := 0, 0, 1000
	if testing.Short() {
		sets = 100
	}
	for seed := range sets {
		r := rand.New(rand.NewPCG(uint64(seed), 36))
		m, pools, batch := random(r)
		want := Want{Goal: Goal(seed % 2)}
		switch seed / 2 % 4 {
		case 2:
			want.MaxUSD = 0.002 + 0.02*r.Float64()
		case 3:
			want.MaxStep = 2 + 10*r.Float64()
		}
		best, all := enumerate(m, pools, batch, want)
		layouts += all
		plan, err := m.Best(pools, batch, want)
		if math.IsInf(best, 1) {
			none++
			if !errors.Is(err, ErrNoLayout) {
				if err == nil {
					t.Errorf("set %d: %+v, expected no layout", seed, plan)
				}
			}
			continue
		}
		if err != nil || !plan.Whole {
			t.Errorf("set %d: %v, whole %v", seed, err, plan.Whole)
			continue
		}
		got := plan.Step
		if want.Goal == Cheapest {
			got = plan.USD
		}
		n.Rel("the best of a set", got, best, 1e-9)
		if !fitsAll(m, &plan.Layout) {
			t.Errorf("set %d: a layout that does not fit into memory", seed)
		}
	}
	if n.N() < sets/2 || none < sets/20 {
		t.Errorf("%d sets with a layout, %d without", n.N(), none)
	}
	t.Logf("%d sets with a layout, %d without, %d layouts compared", n.N(), none, layouts)
}

// What the search of large sets finds in small ones: of 300 random sets, how often the best, and how far off it is
// otherwise.
func TestGreedyAgainstAll(t *testing.T) {
	equal, sets, missed, worst, sum := 0, 0, 0, 0.0, 0.0
	for seed := range 300 {
		m, pools, batch := random(rand.New(rand.NewPCG(uint64(seed), 36)))
		want := Want{Goal: Goal(seed % 2)}
		all, err := m.Best(pools, batch, want)
		if err != nil {
			continue
		}
		sets++
		s, err := newSearch(m, pools, batch, want)
		if err != nil {
			t.Fatal(err)
		}
		s.whole = 0
		s.run()
		if s.best == nil {
			missed++
			continue
		}
		least := all.Step
		if want.Goal == Cheapest {
			least = all.USD
		}
		off := s.value/least - 1
		if !near.Between(off, -1e-9, 10) {
			t.Errorf("set %d: %v, the best of all is %v", seed, s.value, least)
		}
		if off < 1e-9 {
			equal++
		}
		worst, sum = max(worst, off), sum+off
	}
	t.Logf("%d of %d the best, %d found none; off by %.1f %% in the mean and %.0f %% at most", equal, sets, missed, 100*sum/float64(sets-missed), 100*worst)
	near.In(t, "share of sets in which the best is found", float64(equal)/float64(sets), 0.7, 1)
	near.In(t, "mean distance from the best", sum/float64(sets-missed), 0, 0.1)
	near.In(t, "share of sets in which none is found", float64(missed)/float64(sets), 0, 0.05)
}
