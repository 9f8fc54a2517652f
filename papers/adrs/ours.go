package adrs

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"

	"github.com/marigram/marigram/internal/parallel"
)

// unitS is the work between two rows of a table of one zone, and zonesUnitS that of many, s.
const (
	unitS      = 120
	zonesUnitS = 195
)

// priceStep is how finely tables of many zones know the price of spot, USD an hour.
const priceStep = 0.1

// plan runs the planner. It knows the laws of the histories of 2022, but for that which a case was cut from.
func (a *archives) plan(ctx context.Context, cases []Case) (outcomes []Outcome, paths [][]Choice, err error) {
	laws, err := a.laws()
	if err != nil {
		return nil, nil, err
	}
	return planWith(ctx, cases, laws)
}

// planWith runs the planner with some laws.
func planWith(ctx context.Context, cases []Case, laws []*law) (outcomes []Outcome, paths [][]Choice, err error) {
	outcomes = make([]Outcome, len(cases))
	paths = make([][]Choice, len(cases))
	var r Referee
	for _, group := range alike(cases) {
		m := termsOf(&cases[group[0]])
		p := &planner{laws: laws}
		if p.tables, err = solveAll(ctx, m, laws); err != nil {
			return nil, nil, err
		}
		for _, i := range group {
			p.without = cases[i].Group
			if outcomes[i], err = r.Run(&cases[i], p); err != nil {
				return nil, nil, fmt.Errorf("case %s: %w", cases[i].ID, err)
			}
			paths[i] = slices.Clone(r.Ran)
		}
	}
	return outcomes, paths, nil
}

// alike groups cases that the same tables are for, in their order.
func alike(cases []Case) (groups [][]int) {
	at := map[terms]int{}
	for i := range cases {
		m := *termsOf(&cases[i])
		k, known := at[m]
		if !known {
			k = len(groups)
			at[m] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}

// termsOf returns what is fixed of a case. Of many zones spot has a price between theirs: the cheapest is used where
// it is up, which the table takes to be so with a chance of its own.
func termsOf(c *Case) *terms {
	const there = 0.6
	m := &terms{gapS: c.Zones[0].GapS, workS: c.WorkS, deadlineS: c.DeadlineS, restartS: c.RestartS, unitS: unitS}
	var prices []float64
	for _, zone := range c.Zones {
		prices = append(prices, zone.USD)
	}
	slices.Sort(prices)
	usd := 0.0
	left := 1.0
	for _, price := range prices[:len(prices)-1] {
		usd += left * there * price
		left *= 1 - there
	}
	usd += left * prices[len(prices)-1]
	if len(c.Zones) > 1 { // rounded, so that cases share tables
		usd = math.Round(usd/priceStep) * priceStep
	}
	m.spotUSD = usd * m.gapS / 3600
	m.onDemandUSD = onDemandUSD * m.gapS / 3600
	if len(c.Zones) > 1 {
		m.unitS = zonesUnitS
	}
	return m
}

// laws returns those of the eight histories of 2022; the two that no case reads are the pool of all. Many zones, of which
// any is enough, are taken for one that comes and goes as one of these does: laws of several together were no better.
func (a *archives) laws() (laws []*law, err error) {
	var pool counts
	for _, name := range unusedPools {
		pool.add(a.whole[name].Up)
	}
	for _, name := range slices.Concat(pools, unusedPools) {
		history, is := a.whole[name]
		if !is {
			return nil, fmt.Errorf("the archive has no history of %s", name)
		}
		laws = append(laws, lawOf(name, history.Up, &pool))
	}
	return laws, nil
}

// solveAll makes the tables of all laws.
func solveAll(ctx context.Context, m *terms, laws []*law) ([]*valueTable, error) {
	tables := make([]*valueTable, len(laws))
	err := parallel.Each(ctx, runtime.GOMAXPROCS(0), len(laws), func(_ context.Context, numbers iter.Seq[int]) error {
		for n := range numbers {
			tables[n] = solve(m, laws[n])
		}
		return nil
	})
	return tables, err
}
