package adrs

import (
	"context"
	"flag"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

var judgeDesigns = flag.Bool("designs", false, "judge designs for many zones on windows that chose none (minutes)")

// design is a planner for many zones.
type design struct {
	name string
	run  func(context.Context, []Case) ([]Outcome, [][]Choice, error)
}

// designsOf are the planner as it is and others: laws of any of so many zones together, one law of all histories, and
// the plainest that is in time, which takes the cheapest spot that is there and waits as long as it may.
func designsOf(t *testing.T, a *archives) []design {
	t.Helper()
	laws, err := a.laws()
	if err != nil {
		t.Fatal(err)
	}
	return []design{
		{"planner", a.plan},
		{"laws of zones together", func(ctx context.Context, cases []Case) ([]Outcome, [][]Choice, error) {
			return eachCount(cases, func(zones int, cases []Case) ([]Outcome, [][]Choice, error) {
				return planWith(ctx, cases, a.together(zones))
			})
		}},
		{"one law", func(ctx context.Context, cases []Case) ([]Outcome, [][]Choice, error) {
			var all counts
			for _, l := range laws {
				all.add(a.whole[l.name].Up)
			}
			return planWith(ctx, cases, []*law{lawOf("all", nil, &all)})
		}},
		{"cheapest spot, waits", plain(patient{})},
	}
}

// publishedDesigns are the best published programs of many zones that are here, LEVI's and GEPA's.
func publishedDesigns(t *testing.T) (designs []design) {
	t.Helper()
	texts, err := publishedTexts(t, recordedPrograms(t))
	if err != nil {
		t.Log(err)
	}
	for _, sum := range slices.Sorted(maps.Keys(texts)) {
		if !slices.Contains([]string{"d82ae508", "09401ddb", "8862589f"}, sum[:8]) {
			continue
		}
		program := writtenProgram(t, texts[sum])
		if err := adapted(program); err != nil {
			t.Fatal(err)
		}
		designs = append(designs, design{sum[:8], func(_ context.Context, cases []Case) ([]Outcome, [][]Choice, error) {
			outcomes, paths, _, err := runCopies(program, cases, (len(cases)+maxCopies-1)/maxCopies, func() {})
			return outcomes, paths, err
		}})
	}
	return designs
}

// together are laws of any of so many zones: the eight histories of 2022 were recorded at the same time.
func (a *archives) together(zones int) (laws []*law) {
	names := slices.Concat(pools, unusedPools)
	var pool counts
	var all [][]bool
	for first := range names {
		up := slices.Clone(a.whole[names[first]].Up)
		for next := first + 1; next < first+zones; next++ {
			for i, is := range a.whole[names[next%len(names)]].Up[:len(up)] {
				up[i] = up[i] || is
			}
		}
		pool.add(up)
		all = append(all, up)
	}
	for i, up := range all {
		laws = append(laws, lawOf(names[i], up, &pool))
	}
	return laws
}

// eachCount runs cases by how many zones they have.
func eachCount(cases []Case, run func(zones int, cases []Case) ([]Outcome, [][]Choice, error)) (outcomes []Outcome,
	paths [][]Choice, err error) {
	outcomes = make([]Outcome, len(cases))
	paths = make([][]Choice, len(cases))
	for zones := 1; zones <= 16; zones++ {
		var at []int
		var some []Case
		for i := range cases {
			if len(cases[i].Zones) == zones {
				at = append(at, i)
				some = append(some, cases[i])
			}
		}
		if len(some) == 0 {
			continue
		}
		outs, ran, err := run(zones, some)
		if err != nil {
			return nil, nil, err
		}
		for k, i := range at {
			outcomes[i] = outs[k]
			paths[i] = ran[k]
		}
	}
	return outcomes, paths, nil
}

// patient takes the cheapest spot that is there, keeps it until it is lost, and waits for another as long as it can be
// in time on demand.
type patient struct{}

func (patient) Decide(v *View) (Choice, error) {
	m := termsOf(v.Case)
	left := v.Case.WorkS - v.DoneS
	if left <= 1e-8 {
		return Choice{None, v.Zone}, nil
	}
	zone := v.Zone
	since := 0
	if v.Last == Spot && v.Has {
		since = m.launching()
		if v.LeftS > 0 {
			since = int(math.Round((m.restartS - v.LeftS) / m.gapS))
		}
	} else if v.Up != 0 {
		zone = cheapest(v)
	}
	switch {
	case v.Up != 0 && m.spotFits(v.Tick, left-m.work(since)):
		return Choice{Spot, zone}, nil
	case v.Last != OnDemand && m.fits(v.Tick, left+m.restartS):
		return Choice{None, v.Zone}, nil
	}
	return Choice{OnDemand, v.Zone}, nil
}

// The planner's design for many zones was chosen on the 34 cases. On windows that share no tick with them, and with
// pairs of zones that no case has, it is in time in all, and the others are shown beside it.
func TestDesigns(t *testing.T) {
	if !*judgeDesigns {
		t.Skip("judges designs for minutes with -args -designs")
	}
	pulled.Dir(t, "skynomad-aws-v100-availability-all")
	pulled.Dir(t, "skynomad-aws-v100-prices-all")
	a, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	judged, err := a.manyZones()
	if err != nil {
		t.Fatal(err)
	}
	others, err := a.newOfManyZones()
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := a.newPairs()
	if err != nil {
		t.Fatal(err)
	}
	c := &contest{name: "adrs-zones"}
	for _, cases := range []namedCases{{"the 34 cases", judged}, others, tighter(others), pairs} {
		t.Logf("%s: %d cases", cases.name, len(cases.cases))
		compareDesigns(t, c, cases.cases, slices.Concat(designsOf(t, a), publishedDesigns(t)))
	}
}

// compareDesigns prints the scores of designs, and how much dearer they are than the first: by window, in which all
// sets of zones weigh the same, with an interval over windows.
func compareDesigns(t *testing.T, c *contest, cases []Case, designs []design) {
	var first []Outcome
	for _, d := range designs {
		outcomes, _, err := d.run(t.Context(), cases)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = outcomes
		}
		var dearer intervals.Tally
		for i := range cases {
			dearer.Add(intervals.Unit{StartS: windowOf(cases[i].ID)}, outcomes[i].RanUSD-first[i].RanUSD)
		}
		s := c.summary(cases, outcomes, false)
		t.Logf("%-24s billed %.3f, %.3f USD, honest %.3f, late %d; dearer by %.3f USD a run %+v",
			d.name, s.Billed, s.BilledUSD, s.Honest, s.Late, dearer.Mean(), dearer.MeanInterval())
		if d.name == "planner" && s.Late > 0 {
			t.Errorf("the planner is late in %d runs", s.Late)
		}
	}
	best, err := optima(t.Context(), cases, nil)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := make([]Outcome, len(best))
	for i := range best {
		outcomes[i].RanUSD = best[i].USD
	}
	s := c.summary(cases, outcomes, false)
	t.Logf("%-24s billed %.3f, %.3f USD", "foresight", s.Billed, s.BilledUSD)
}

// windowOf is the number at the end of a case's name.
func windowOf(id string) float64 {
	at := strings.LastIndexAny(id, "/w") // scenario/3, scenario/new966
	number, err := strconv.ParseFloat(id[at+1:], 64)
	if err != nil {
		panic(err)
	}
	return number
}

// newPairs are all pairs of zones, in the windows that no case reads.
func (a *archives) newPairs() (namedCases, error) {
	all := namedCases{name: "all pairs of zones in other windows"}
	histories, err := zoneHistories()
	if err != nil {
		return all, err
	}
	starts, err := a.unread(histories)
	if err != nil {
		return all, err
	}
	names := slices.Sorted(maps.Keys(histories))
	for i, one := range names {
		for _, other := range names[i+1:] {
			for _, start := range starts {
				all.cases = append(all.cases, ofHistories(one+"+"+other, []string{one, other}, histories, start))
			}
		}
	}
	return all, nil
}

// tighter are the same cases with half of the slack.
func tighter(of namedCases) namedCases {
	all := namedCases{name: of.name + ", 50 h", cases: slices.Clone(of.cases)}
	for i := range all.cases {
		all.cases[i].DeadlineS = 50 * 3600
	}
	return all
}
