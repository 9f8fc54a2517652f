package mdp

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// seenPrices looks at a price every two minutes, for so many hours from now on at each of some prices.
func seenPrices(hours float64, usd ...float64) *prices {
	x := &prices{}
	const looks = 30 // an hour
	for i, price := range usd {
		for look := range int(hours * looks) {
			x.see(price, sim.At(3600*(float64(i)*hours+float64(look)/looks)))
		}
	}
	x.see(usd[len(usd)-1], sim.At(3600*hours*float64(len(usd))))
	return x
}

var twoHours = &Law{Price: 2 * time.Hour, Weight: 0.5}

// A price that stays has no levels, nor has one that hardly changes.
func TestPricesThatStayHaveNoLevels(t *testing.T) {
	for _, usd := range [][]float64{{1}, {1, 1.03, 1}, {1, 1.4}} {
		if of := seenPrices(1, usd...).levels(twoHours, 3); of != (levels{}) {
			t.Errorf("%v: %+v, expected none", usd, of)
		}
	}
}

// A price that wanders from low to high and back has none: it does not go there at once.
func TestPricesThatWanderHaveNoLevels(t *testing.T) {
	x := seenPrices(1, 1, 1.4, 1.8, 2.2, 2.6, 3, 2.6, 2.2, 1.8, 1.4, 1)
	if of := x.levels(twoHours, 3); of != (levels{}) {
		t.Errorf("%+v, expected none", of)
	}
}

// Levels are the means on both sides of the price that parts them best. Each is left (0.5 + n) / (0.5 x 2 h + hours)
// times an hour, the first change left out, rounded.
func TestLevelsAreMeansOfBothSides(t *testing.T) {
	check := near.Count(t)
	x := seenPrices(2, 1, 1.2, 4, 1.1, 5)
	of := x.levels(twoHours, 3)
	if check.OffRel(of.low, 1.1, 0.05) || check.OffRel(of.high, 4.5, 0.05) {
		t.Errorf("levels %v and %v USD/h, expected some 1.10 and 4.50", of.low, of.high)
	}
	if rises := rounded(1.5 / 7); check.OffRel(of.rises, rises, 1e-9) {
		t.Errorf("rises %v times an hour, expected %v", of.rises, rises)
	}
	if falls := rounded(1.5 / 5); check.OffRel(of.falls, falls, 1e-9) {
		t.Errorf("falls %v times an hour, expected %v", of.falls, falls)
	}
}

// A run remembers so many spells: a price that changes all the time takes no more memory, and the last ones count.
func TestFewSpellsAreRemembered(t *testing.T) {
	check := near.Count(t)
	var usd []float64
	for i := range 10 * maxSpells {
		usd = append(usd, 1+float64(i%2))
	}
	usd = append(usd, 8, 9, 8)
	x := seenPrices(0.1, usd...)
	if len(x.spells) > maxSpells {
		t.Errorf("%d spells, expected at most %d", len(x.spells), maxSpells)
	}
	if of := x.levels(twoHours, 3); check.OffRel(of.high, 8.3, 0.06) {
		t.Errorf("high price %v USD/h, expected some 8.30", of.high)
	}
}

// The memory of a fork is its own.
func TestForksRememberTheirPrices(t *testing.T) {
	first := &rooms{}
	first.Restart(1)
	first.prices[0].see(1, 0)
	fork := &rooms{}
	fork.CopyFrom(first)
	fork.prices[0].see(2, sim.At(3600))
	if n := len(first.prices[0].spells); n != 1 || first.prices[0].spells[0].hours != 0 {
		t.Errorf("after a look of its fork a run remembers %+v", first.prices[0])
	}
	if spells := fork.prices[0].spells; len(spells) != 2 || spells[0].hours != 1 {
		t.Errorf("the fork remembers %+v", spells)
	}
}

// Where the price of a pool goes between two levels, the states of its market are four, and what comes after a step is
// certain to be one of them.
func TestStatesHaveLevels(t *testing.T) {
	check := near.Count(t)
	p := &planner{set: New(), prices: []float64{1, 4}}
	p.pools = make([]pool, 2)
	p.pools[0] = pool{belief: belief{spot: true, lossRate: 0.5, arrivalRate: 1}, share: 2. / 3}
	p.pools[0].prices = seenPrices(1, 1, 3, 1)
	p.full = []int{8, 8}
	p.moves.places = []int{0}
	r := &p.regimes
	r.listStates(p)
	if len(r.list) != 4 || r.levelled != 0 {
		t.Fatalf("%d states, pool %d has levels", len(r.list), r.levelled)
	}
	tab := &table{}
	tab.dt = 600
	tab.beliefs = []belief{p.pools[0].belief, {}}
	weight := 0.0
	for from := range r.list {
		weight += r.list[from].weight
		sum := 0.0
		for to := range r.list {
			sum += tab.becomes(p, from, to)
		}
		if check.Off(sum, 1, 1e-12) {
			t.Errorf("state %d becomes another one or stays with probability %v", from, sum)
		}
	}
	if check.Off(weight, 1, 1e-12) {
		t.Errorf("states have probability %v", weight)
	}
	counts := []int32{2, 1}
	if usd := tab.surcharge(r, &r.list[3], counts); check.OffRel(usd, 4, 0.15) {
		t.Errorf("two instances cost %v USD/h more at the high price, expected some 4", usd)
	}
	if usd := tab.surcharge(r, &r.list[1], counts); usd != 0 {
		t.Errorf("two instances cost %v USD/h more at the low price", usd)
	}
}
