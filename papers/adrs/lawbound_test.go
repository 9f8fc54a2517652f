package adrs

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

var boundByLaws = flag.Bool("law-bound", false, "the best expected score under the learnt laws (minutes)")

// chain is a market that comes and goes by a law: a class of age is left for the next, and spot for the other state,
// with the law's chances in each tick. Its state is the class, and whether spot is there.
type chain struct {
	law    *law
	random *rand.Rand
	up     bool
	class  int
}

// usual are the shares of time in which a chain is in each state: spot there or not (1, 0), by class.
func usual(l *law) (shares [2][classes]float64) {
	shares[1][0] = 1
	for range 100_000 {
		var next [2][classes]float64
		for s := range shares {
			for k, share := range shares[s] {
				flips := share * l.flip[s][k]
				older := (share - flips) * grows(k)
				next[1-s][0] += flips
				next[s][min(k+1, classes-1)] += older
				next[s][k] += share - flips - older
			}
		}
		shares = next
	}
	return shares
}

// begin draws a state as it is at any time.
func (c *chain) begin(shares *[2][classes]float64) {
	x := c.random.Float64()
	for s := range shares {
		for k, share := range shares[s] {
			c.up = s == 1
			c.class = k
			if x -= share; x < 0 {
				return
			}
		}
	}
}

func (c *chain) next() {
	switch s := state(c.up); {
	case c.random.Float64() < c.law.flip[s][c.class]:
		c.up = !c.up
		c.class = 0
	case c.random.Float64() < grows(c.class):
		c.class++
	}
}

// told is the planner that is told the law of its market, and the class in which it is.
type told struct {
	planner
	classes []int
}

func (p *told) Decide(v *View) (Choice, error) {
	p.belief.weight = []float64{1}
	p.belief.scale = 1
	p.belief.age = ages[p.classes[v.Tick]]
	left := v.Case.WorkS - v.DoneS
	if left <= 1e-8 {
		return Choice{}, nil
	}
	held := v.Last
	if held == Spot && !v.Has {
		held = None
	}
	return Choice{Kind: p.choose(v, 0, held, left)}, nil
}

// exactTerms are those of a case with work counted in what all its times are multiples of: its table is no
// approximation.
func exactTerms(c *Case) *terms {
	m := termsOf(c)
	m.unitS = common(common(m.gapS, m.restartS), m.workS)
	return m
}

// expectedUSD is the least expected cost of a run of the table's terms that begins at any time.
func (t *valueTable) expectedUSD(shares *[2][classes]float64) (usd float64) {
	below, _, _ := t.at(0, t.workS, t.values[0])
	places := len(t.other)
	for s := range shares {
		for k, share := range shares[s] {
			usd += share * float64(below[k*places+t.place(s == 1, None, 0)])
		}
	}
	return usd
}

// Under a law that is known the table has the least expected cost of all that are always in time: the policy of least value
// attains it in drawn markets, and who knows the future pays no more.
func TestLeastExpectedCost(t *testing.T) {
	const draws = 1500
	nears := near.Count(t)
	for seed := range uint64(3) {
		c := randomCase(seed, 1)
		l := lawOf("", c.Zones[0].Up, new(counts))
		shares := usual(l)
		table := solve(exactTerms(&c), l)
		want := table.expectedUSD(&shares)
		market := &chain{law: l, random: rand.New(rand.NewPCG(seed, 7))}
		rule := &told{planner: planner{tables: []*valueTable{table}, laws: []*law{l}}}
		var paid, foreseen []float64
		var r Referee
		for draw := range draws {
			drawn := rule.drawn(market, &shares, c)
			out, err := r.Run(&drawn, rule)
			if err != nil || out.LateS > 0 {
				t.Fatalf("%+v, %v", out, err)
			}
			paid = append(paid, out.RanUSD)
			if draw%10 == 0 {
				foreseen = append(foreseen, optimum(&drawn, nil).USD)
			}
		}
		mean, deviation := meanAndError(paid)
		nears.Abs(fmt.Sprintf("seed %d, drawn markets", seed), mean, want, 4*deviation)
		if nears.Above(deviation, 0.01*want) {
			t.Errorf("seed %d: the error of %v USD is %v, too much to say something", seed, mean, deviation)
		}
		if least, _ := meanAndError(foreseen); nears.Above(least, min(mean, want)) {
			t.Errorf("seed %d: %v USD with foresight, above %v without", seed, least, mean)
		}
	}
}

// meanAndError returns the mean of numbers and its standard error.
func meanAndError(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation) / float64(len(x))
}

// What no policy that is always in time can beat in the mean, if each history's market were drawn from the law that was
// learnt from it, and the law known; beside it, on the same drawn windows, the optimum with foresight and the planner,
// which is not told the law and has it not among its own.
func TestLawBound(t *testing.T) {
	if !*boundByLaws {
		t.Skip("takes minutes with -args -law-bound")
	}
	pulled.Dir(t, setName)
	a, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	laws, err := a.laws()
	if err != nil {
		t.Fatal(err)
	}
	bound := 0.0
	var foreseen, knowing, planned []float64 // USD of runs on drawn windows
	for _, restart := range restarts {
		for _, c := range variants("", "", Window{GapS: lawTickS, USD: spotUSD}, restart) {
			own := &planner{laws: laws}
			if own.tables, err = solveAll(t.Context(), termsOf(&c), laws); err != nil {
				t.Fatal(err)
			}
			for i, l := range laws[:len(pools)] {
				shares := usual(l)
				rule := &told{planner: planner{tables: []*valueTable{solve(exactTerms(&c), l)}, laws: []*law{l}}}
				bound += rule.tables[0].expectedUSD(&shares) / float64(len(pools)*len(restarts)*len(deadlinesS))
				own.without = l.name
				market := &chain{law: l, random: rand.New(rand.NewPCG(uint64(i), uint64(c.DeadlineS+restart)))}
				for range 40 {
					drawn := rule.drawn(market, &shares, c)
					foreseen = append(foreseen, optimum(&drawn, nil).USD)
					knowing = append(knowing, ranBy(t, rule, []Case{drawn})[0].RanUSD)
					planned = append(planned, ranBy(t, own, []Case{drawn})[0].RanUSD)
				}
			}
		}
	}
	t.Logf("the least expected cost under the laws: %.3f USD, score %.2f", bound, score(bound))
	report := func(name string, usd []float64) {
		var above []float64
		for i := range usd {
			above = append(above, usd[i]-foreseen[i])
		}
		mean, _ := meanAndError(usd)
		more, deviation := meanAndError(above)
		t.Logf("%s: %.3f USD on %d drawn windows, score %.2f; above foresight %.3f +- %.3f USD", name, mean, len(usd), score(mean),
			more, deviation)
	}
	report("foresight", foreseen)
	report("told the law", knowing)
	report("planner", planned)
}

// drawn is the case in a window that is drawn, which the policy is told of.
func (p *told) drawn(market *chain, shares *[2][classes]float64, c Case) Case {
	market.begin(shares)
	window := c.Zones[0]
	window.Up = nil
	p.classes = p.classes[:0]
	for range int(c.DeadlineS/window.GapS) + 3 {
		window.Up = append(window.Up, market.up)
		p.classes = append(p.classes, market.class)
		market.next()
	}
	c.Zones = []Window{window}
	return c
}
