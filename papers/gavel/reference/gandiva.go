package reference

import (
	"slices"

	"github.com/marigram/marigram/internal/pyrandom"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// Gandiva is packing as Gandiva (OSDI 2018) does it, in Gavel's code: where jobs ask for more GPUs than
// there are, pairs of as many GPUs each are drawn, and stay together while both are faster for it.
type Gandiva struct {
	random *pyrandom.Rand
	groups []group
}

// group is a pair of jobs, or a job alone (b is none).
type group struct{ a, b int } // IDs, a below b

// NewGandiva returns the rule with the random numbers of a seed.
func NewGandiva(seed int64) *Gandiva { return &Gandiva{random: pyrandom.New(seed)} }

// SharePairs implements PairRule.
func (g *Gandiva) SharePairs(in *PairInput, x *PairShares) {
	x.reset()
	asked := 0
	for i := range in.Jobs {
		asked += in.Jobs[i].GPUs
	}
	all := 0
	for _, n := range in.GPUs {
		all += n
	}
	if asked <= all {
		var isolated share.Shares
		rules.Isolated{}.Share(&in.Input, &isolated)
		for k, i := range isolated.Jobs {
			copy(x.add(Unit{i, Alone}, len(in.GPUs)), isolated.X[k])
		}
		return
	}
	at := map[int]int{}
	for i := range in.Jobs {
		at[in.Jobs[i].ID] = i
	}
	g.dissolve(in, at)
	g.draw(in)
	for _, p := range g.groups {
		u := Unit{at[p.a], Alone}
		if p.b != none {
			u.B = at[p.b]
		}
		part := x.add(u, len(in.GPUs))
		for m, n := range in.GPUs {
			part[m] = float64(n) / float64(len(g.groups)) / float64(in.Jobs[u.A].GPUs)
		}
		rules.LimitToWholeTime(part)
	}
}

// dissolve drops groups of jobs that are done, alone, or slower together.
func (g *Gandiva) dissolve(in *PairInput, at map[int]int) {
	g.groups = slices.DeleteFunc(g.groups, func(p group) bool {
		a, here := at[p.a]
		b, too := at[p.b]
		return p.b == none || !here || !too || in.together(a, b) < 1
	})
}

// together is the sum of two jobs' speeds together over their speeds alone, over
// all models; 0 if one of them does not run on one.
func (in *PairInput) together(a, b int) float64 {
	sum := 0.0
	for m := range in.GPUs {
		of, other := in.Together(a, b, m)
		if of <= 0 || other <= 0 {
			return 0
		}
		sum += of/in.Jobs[a].Speed[m] + other/in.Jobs[b].Speed[m]
	}
	return sum
}

// draw pairs jobs that have no group, once for each such job; the rest is alone.
func (g *Gandiva) draw(in *PairInput) {
	var rest []int // places
	for i := range in.Jobs {
		id := in.Jobs[i].ID
		if !slices.ContainsFunc(g.groups, func(p group) bool { return p.a == id || p.b == id }) {
			rest = append(rest, i)
		}
	}
	for range len(rest) {
		if len(rest) < 2 {
			break
		}
		s := g.random.Sample(len(rest), 2)
		a, b := rest[s[0]], rest[s[1]]
		if in.Jobs[a].GPUs != in.Jobs[b].GPUs {
			continue
		}
		rest = slices.DeleteFunc(rest, func(i int) bool { return i == a || i == b })
		g.groups = append(g.groups, group{in.Jobs[min(a, b)].ID, in.Jobs[max(a, b)].ID})
	}
	for _, i := range rest {
		g.groups = append(g.groups, group{in.Jobs[i].ID, none})
	}
}
