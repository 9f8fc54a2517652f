package adrs

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// windows are up where the text has a 1.
func windows(gap float64, texts ...string) (all []Window) {
	for i, text := range texts {
		w := Window{GapS: gap, USD: spotUSD + float64(i)/10}
		for _, c := range text {
			w.Up = append(w.Up, c == '1')
		}
		all = append(all, w)
	}
	return all
}

// scripted asks for one letter a tick: n, s, o, and a digit of the zone after it.
type scripted string

func (s scripted) Decide(v *View) (Choice, error) {
	at := min(2*v.Tick, len(s)-2)
	kinds := map[byte]Kind{'n': None, 's': Spot, 'o': OnDemand}
	return Choice{kinds[s[at]], int(s[at+1] - '0')}, nil
}

// Runs of half an hour of work, by hand: a tick is 600 s, a restart 60 s, and 360 s in the late run.
func TestRules(t *testing.T) {
	for _, x := range []struct {
		name, asked string
		up          []string
		deadline    float64
		want        Outcome
	}{
		{"the overhead falls into the first tick", "s0s0s0s0n0", []string{"1111111"}, 4200,
			Outcome{DoneTick: 4, SpotTicks: 4, Launches: 1}},
		{"a loss costs the launch after it", "s0s0s0s0s0n0", []string{"1011111"}, 6000,
			Outcome{DoneTick: 5, SpotTicks: 4, Launches: 2, Preemptions: 1, Blocked: 1}},
		{"waiting is free, and a launch replaces one", "o0n0o0s0s0n0", []string{"11111111"}, 6000,
			Outcome{DoneTick: 5, SpotTicks: 2, OnDemandTicks: 2, Launches: 3}},
		{"the guard keeps a spot that is gone: one idle tick, late by one", "s0o0o0o0o0o0n0", []string{"1011111"}, 3000,
			Outcome{DoneTick: 6, SpotTicks: 1, OnDemandTicks: 4, Launches: 2, Preemptions: 1, Forced: 1, LateS: 600}},
		{"it buys where nothing was asked for", "n0n0n0n0n0n0", []string{"1111111"}, 2400,
			Outcome{DoneTick: 4, OnDemandTicks: 4, Launches: 1, Forced: 4}},
		{"a move of what runs is no launch there", "s0s1s1s1n1", []string{"1111111", "1111111"}, 4200,
			Outcome{DoneTick: 4, SpotTicks: 4, Launches: 1, Moves: 1, FreeMoves: 1}},
		{"what is lost and taken elsewhere is", "s0s1s1s1n1", []string{"1000000", "1111111"}, 4200,
			Outcome{DoneTick: 4, SpotTicks: 4, Launches: 2, Moves: 1, Preemptions: 1}},
	} {
		c := Case{WorkS: 1800, DeadlineS: x.deadline, RestartS: 60, Zones: windows(600, x.up...)}
		if x.want.LateS > 0 {
			c.RestartS = 360
		}
		var r Referee
		got, err := r.Run(&c, scripted(x.asked))
		if err != nil {
			t.Fatal(err)
		}
		got.LEVIUSD, got.LeaderboardUSD, got.RanUSD, got.BilledUSD, got.afterUSD = 0, 0, 0, 0, 0
		if got != x.want {
			t.Errorf("%s: %+v, expected %+v", x.name, got, x.want)
		}
	}
}

// Their bill is at the prices of the last zone, which may be chosen after the end.
func TestBills(t *testing.T) {
	nears := near.Count(t)
	c := Case{WorkS: 1800, DeadlineS: 4200, RestartS: 60, Zones: windows(600, "1111111", "1111111")}
	var r Referee
	tick := func(usd float64) float64 { return usd / 6 }
	for asked, want := range map[string][4]float64{ // LEVI, the leaderboard, where it ran, with moves
		"s1s1s1s1n1": {4 * tick(1.0731), 4 * tick(1.0731), 4 * tick(1.0731), 4 * tick(1.0731)},
		"s1s1s1s1n0": {4 * tick(0.9731), 4 * tick(0.9731), 4 * tick(1.0731), 4 * tick(1.0731)},
		"s1s1s1s1o0": {4*tick(0.9731) + tick(3.06), 4 * tick(0.9731), 4 * tick(1.0731), 4 * tick(1.0731)},
		"s1s0s0s0n0": {4 * tick(0.9731), 4 * tick(0.9731), 3*tick(0.9731) + tick(1.0731), 3*tick(0.9731) + tick(1.0731) + 3.06/60},
	} {
		out, err := r.Run(&c, scripted(asked))
		if err != nil {
			t.Fatal(err)
		}
		got := []float64{out.LEVIUSD, out.LeaderboardUSD, out.RanUSD, out.BilledUSD}
		for i := range got {
			nears.Abs(fmt.Sprintf("%s, bill %d", asked, i), got[i], want[i], 1e-12)
		}
	}
}

// Wrong answers, and windows that end, are errors.
func TestRefuses(t *testing.T) {
	c := Case{WorkS: 1800, DeadlineS: 9000, RestartS: 60, Zones: windows(600, "11")}
	for _, asked := range []string{"s1", "s0"} {
		if _, err := new(Referee).Run(&c, scripted(asked)); err == nil {
			t.Errorf("%s: expected an error", asked)
		}
	}
}

// The plain rules have the costs and ends of the published evaluator.
func TestRecorded(t *testing.T) {
	pulled.Dir(t, "adrs-cant-be-late")
	nears := near.Count(t)
	all, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cases, err := all.oneZone()
	if err != nil {
		t.Fatal(err)
	}
	many, err := all.manyZones()
	if err != nil || len(many) != 34 || len(cases) != 1080 {
		t.Fatalf("%d and %d cases, %v", len(cases), len(many), err)
	}
	rows := testutil.Rows(t, "papers/adrs/testdata/rules.csv")
	byCase := map[string]map[string]string{}
	for _, row := range rows {
		byCase[row["program"]+" "+row["case"]] = row
	}
	var r Referee
	compared := 0
	for name, rule := range map[string]Program{"ondemand": onDemandRule{}, "spot": spotRule{}} {
		for i := range cases {
			row := byCase[name+" "+cases[i].ID]
			if row == nil {
				continue
			}
			out, err := r.Run(&cases[i], rule)
			if err != nil {
				t.Fatal(err)
			}
			compared++
			nears.Abs(name+" "+cases[i].ID, out.LEVIUSD, testutil.Number(t, row["cost_usd"]), 1e-9)
			for column, got := range map[string]int{"done_tick": out.DoneTick, "late_s": int(out.LateS), "spot_ticks": out.SpotTicks,
				"od_ticks": out.OnDemandTicks, "launches": out.Launches, "preemptions": out.Preemptions} {
				if row[column] != strconv.Itoa(got) {
					t.Errorf("%s, %s: %s is %d, expected %s", name, cases[i].ID, column, got, row[column])
				}
			}
		}
	}
	if compared != len(rows) {
		t.Errorf("%d of %d rows compared", compared, len(rows))
	}
}

// randomCase is a case of eight hours of work.
func randomCase(seed uint64, zones int) Case {
	random := rand.New(rand.NewPCG(seed, 1))
	var texts []string
	for range zones {
		text := ""
		up := random.IntN(2) == 0
		for range 80 {
			if random.Float64() < 0.15 {
				up = !up
			}
			text += strconv.Itoa(state(up))
		}
		texts = append(texts, text)
	}
	restart := []float64{72, 180, 360, 720}[random.IntN(4)]
	return Case{ID: strconv.FormatUint(seed, 10), WorkS: 8 * 3600, DeadlineS: float64(9+random.IntN(4)) * 3600,
		RestartS: restart, Zones: windows(600, texts...)}
}

// drunk asks for anything.
type drunk struct{ *rand.Rand }

func (d drunk) Decide(v *View) (Choice, error) {
	return Choice{Kind(d.IntN(3)), v.Zone}, nil
}

// No run in time is cheaper than the optimum, and what a run paid above it, tick by tick, adds up to the difference.
func TestOptimum(t *testing.T) {
	nears := near.Count(t)
	inTime := 0
	var r Referee
	for seed := range uint64(40) {
		c := randomCase(seed, 1+int(seed%3))
		for _, rule := range []Program{onDemandRule{}, spotRule{}, drunk{rand.New(rand.NewPCG(seed, 2))}} {
			out, err := r.Run(&c, rule)
			if err != nil {
				t.Fatal(err)
			}
			if out.LateS > 0 {
				continue
			}
			inTime++
			best := optimum(&c, r.Ran)
			sum := best.USD
			for tick, paid := range best.Paid {
				sum += paid
				if !(paid > -1e-9) {
					t.Errorf("seed %d: %v USD below the best decision at tick %d", seed, -paid, tick)
				}
			}
			nears.Abs(fmt.Sprintf("seed %d: the run", seed), sum, out.BilledUSD, 1e-9)
		}
	}
	if inTime < 60 {
		t.Errorf("%d runs were in time", inTime)
	}
}

// The planner is in time without the guard's help, and cheaper than the plain rules; its tables hold for any law.
func TestPlanner(t *testing.T) {
	var laws []*law
	for seed := range uint64(2) {
		c := randomCase(1000+seed, 1)
		laws = append(laws, lawOf(c.ID, c.Zones[0].Up, new(counts)))
	}
	var r Referee
	usd, spot := 0.0, 0.0
	for seed := range uint64(12) {
		c := randomCase(seed, 1+int(seed%2))
		p := &planner{laws: laws}
		var err error
		if p.tables, err = solveAll(t.Context(), termsOf(&c), laws); err != nil {
			t.Fatal(err)
		}
		out, err := r.Run(&c, p)
		if err != nil || out.LateS > 0 || out.Blocked > 0 || out.Forced > 0 {
			t.Errorf("seed %d: %+v, %v", seed, out, err)
		}
		usd += out.BilledUSD
		out, err = r.Run(&c, spotRule{})
		if err != nil {
			t.Fatal(err)
		}
		spot += out.BilledUSD
	}
	if usd >= spot {
		t.Errorf("%v USD, and %v of the plain rule", usd, spot)
	}
}

func FuzzWindow(f *testing.F) {
	f.Add([]byte(`{"metadata": {"gap_seconds": 600}, "data": [0, 1], "prices": [0.5, 0.6]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := readWindow(text)
		if err == nil && !(w.USD > 0 && w.GapS >= 1) {
			t.Errorf("%+v", w)
		}
	})
}
