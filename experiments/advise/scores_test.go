package advise

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// The ends of an interval of a level are where the outcome begins to be within, inside and beyond all continuations.
func TestRanksAndTheirInverse(t *testing.T) {
	check := near.Count(t)
	f := newForecast([]float64{40, 10, 20, 30}, 0.5, 12, 100) // half of the upper median, 15, is yet to come
	for _, c := range []struct {
		x    float64
		want ranks
	}{
		{15, ranks{0.2, 0.4}},
		{20, ranks{0.2, 0.6}},
		{5, ranks{-1. / 3, 0.2 - 1./3}},
		{60, ranks{0.8 + 4./3, 1 + 4./3}},
		{math.Inf(1), ranks{4.8, 5}}, // at the horizon
	} {
		got := f.rank(c.x)
		if check.Off(got.Low, c.want.Low, 1e-12) || check.Off(got.High, c.want.High, 1e-12) {
			t.Errorf("%v: %v, expected %v", c.x, got, c.want)
		}
	}
	for _, x := range []float64{40, 41, 60, 99} {
		level := f.rank(x).least()
		if check.Off(f.at((1+level)/2), x, 1e-9) || f.at((1-level)/2) != 10 {
			t.Errorf("%v: of level %v the ends are %v and %v", x, level, f.at((1-level)/2), f.at((1+level)/2))
		}
	}
	if q := f.quantiles(9.5, 0.5); q.P95 != nil || *q.P05 != 10 || *q.P50 != 30 || *q.P75 != 40 {
		t.Errorf("%+v, expected no upper end and none below what is spent or all continuations", q)
	}
}

// drawn are outcomes an hour apart, each known after some hours. From the half on they come from a law that continuations
// do not know: shifted up by half of their spread.
func drawn(n int, hours, shift float64, values int) []Score {
	draw := rand.New(rand.NewPCG(7, uint64(n)))
	rows := make([]Score, n)
	for i := range rows {
		by := 0.0
		if i >= n/2 {
			by = shift
		}
		rows[i] = drawnScore(draw, i, hours, values, by)
	}
	return rows
}

// drawnScore is the i-th outcome of a series, an hour after the one before: shifted by so much from what continuations
// are drawn from.
func drawnScore(draw *rand.Rand, i int, hours float64, values int, shift float64) Score {
	numbers := make([]float64, 100)
	for k := range numbers {
		numbers[k] = 10 + float64(draw.IntN(values))/float64(values)
	}
	f := newForecast(numbers, 0.9, 0, math.Inf(1))
	x := 10 + float64(draw.IntN(values))/float64(values) + shift
	at := 3600 * float64(i)
	return Score{NowS: at, KnownS: at + 3600*hours, Cost: f.rank(x), Finish: f.rank(x)}
}

// Adapted intervals hold 90 and 50 % where the market shifts, however many outcomes end alike and however late they are
// known; those that are not adapted do not.
func TestAdaptedIntervalsHoldAfterAShift(t *testing.T) {
	for _, values := range []int{1, 4, 1 << 30} {
		rows := drawn(2000, 8, 0.5, values)
		var held, asTheyAre [2]float64
		for i, known := range issue(rows) {
			if !known.adapts() || i < len(rows)/2 {
				continue
			}
			for k := range held {
				held[k] += rows[i].Cost.within(known.levels[k]) / 1000
				asTheyAre[k] += rows[i].Cost.within(1-targets[k]) / 1000
			}
		}
		t.Logf("%d values: %.3f and %.3f, not adapted %.3f and %.3f", values, held[0], held[1], asTheyAre[0], asTheyAre[1])
		near.Abs(t, "90 %", held[0], 0.9, 0.02)
		near.Abs(t, "50 %", held[1], 0.5, 0.03)
		if asTheyAre[0] > 0.8 {
			t.Errorf("%d values: not adapted, %v hold: the test cannot tell", values, asTheyAre[0])
		}
	}
}

// Over many outcomes the share that adapted intervals miss is near its target however the market shifts: in steps, by a
// slow drift, in bursts that begin and end without notice. Gibbs and Candes (Proposition 4.1) bound the difference by
// (1 + gamma)/(gamma T); that outcomes are known late lets as many more of them miss before the first of them counts.
func TestAdaptedIntervalsHoldInTheLongRun(t *testing.T) {
	const outcomes = 2000
	const hours = 8 // until an outcome is known
	for name, shift := range map[string]func(i int, draw *rand.Rand) float64{
		"steps":  func(i int, _ *rand.Rand) float64 { return 0.4 * float64(i/250%3-1) },
		"drift":  func(i int, _ *rand.Rand) float64 { return 1.5 * math.Sin(float64(i)/120) },
		"bursts": func(i int, draw *rand.Rand) float64 { return float64(i/40%5/4) * (1 + draw.Float64()) },
	} {
		for seed := range uint64(5) {
			draw := rand.New(rand.NewPCG(seed, 11))
			rows := make([]Score, outcomes)
			for i := range rows {
				rows[i] = drawnScore(draw, i, hours, 1<<30, shift(i, draw))
			}
			var missed [2]float64
			n := 0.0
			for i, known := range issue(rows) {
				if !known.adapts() {
					continue
				}
				n++
				for k := range missed {
					missed[k] += 1 - rows[i].Cost.within(known.levels[k])
				}
			}
			bound := (1 + adaption*(1+hours)) / (adaption * n)
			for k, target := range targets[:2] {
				if off := math.Abs(missed[k]/n - target); !(off <= bound) {
					t.Errorf("%s, seed %d: %.3f miss the interval in which %v should, more than %.3f off",
						name, seed, missed[k]/n, target, bound)
				}
			}
		}
	}
}

// What is known later than a prediction does not change it, and with fewer than 20 outcomes nothing does.
func TestIssueKnowsThePastOnly(t *testing.T) {
	rows := drawn(100, 5, 0.5, 4)
	all := issue(rows)
	for i := range all {
		if want := max(i-4, 0); all[i].known != want { // known at the instant at which a run ends
			t.Fatalf("prediction %d knows %d outcomes, expected %d", i, all[i].known, want)
		}
		if !all[i].adapts() && all[i].levels != [4]float64{0.9, 0.5, 0.9, 0.5} {
			t.Fatalf("prediction %d: %v of %d outcomes", i, all[i].levels, all[i].known)
		}
	}
	const at = 60
	later := slices.Clone(rows)
	for i := range later {
		if later[i].KnownS > rows[at].NowS {
			later[i].Cost = ranks{50, 51}
		}
	}
	if changed := issue(later); changed[at] != all[at] || changed[at+10] == all[at+10] {
		t.Errorf("%+v became %+v, and ten later %+v %+v", all[at], changed[at], all[at+10], changed[at+10])
	}
	s := &Scores{Rows: rows}
	if got := s.issueAt(rows[at].NowS); *got != all[at] || len(s.Rows) != 100 {
		t.Errorf("%+v, expected %+v", *got, all[at])
	}
}

func written(t *testing.T, s *Scores) (name string, text string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "scores.json")
	if err := s.WriteFile(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, string(data)
}

// Scores come back as they were, and what no check writes is refused with its line.
func TestScoresFile(t *testing.T) {
	s := &Scores{Version: 1, Spec: "s", Policy: "p", Objective: "o", Begins: "2026-02-01T00:00:00Z", Rows: drawn(3, 1, 0, 4)}
	name, text := written(t, s)
	back, err := OpenScores(name)
	if err != nil || !slices.Equal(back.Rows, s.Rows) {
		t.Fatal(back, err)
	}
	if _, again := written(t, back); again != text {
		t.Errorf("written again\n%s\nis\n%s", text, again)
	}
	first := strings.Split(text, "\n")[1]
	for _, c := range []struct{ was, is, want string }{
		{`"policy":"p"`, `"policy":"q"`, "scores.json:1:"},
		{`"now_s":7200`, `"now_s":7201`, "expected a file as --check wrote it"},
		{`"now_s":7200`, `"now_s":-1`, "scores.json:4:10"},
		{`"known_s":7200`, `"known_s":3500`, "scores.json:3:25: rows[1].known_s: 3500, expected an instant after now_s, 3600"},
		{`"now_s":7200`, `"now":7200`, `did you mean "now_s"?`},
		{`"version":1`, `"version":2`, "version: 2, expected"},
		{first, `{"now_s":0,"known_s":0,"cost":{"low":1,"high":0},"finish":{"low":0,"high":1}},`, "rows[0].cost.high: 0, expected more than low, 1"},
		{"\n]}", "", "scores.json:"},
	} {
		if !strings.Contains(text, c.was) {
			t.Fatalf("%s has no %s", text, c.was)
		}
		if _, err := ParseScores("scores.json", []byte(strings.Replace(text, c.was, c.is, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s: %v, expected %q", c.was, c.is, err, c.want)
		}
	}
}

// Scores of the same policy and market widen the intervals of the policy that decides, by runs that were over by now;
// others are refused.
func TestAdviceWithScores(t *testing.T) {
	s := write(t, known, "")
	plain, _ := advised(t, s, stateText)
	state, err := Parse("state.yaml", []byte(stateText))
	if err != nil {
		t.Fatal(err)
	}
	rows := drawn(40, 1, 0.3, 4)
	scores := &Scores{Version: 1, Spec: "recorded", Policy: "spotdnn", Objective: "in-4h", Begins: "2026-02-01T00:00:00Z", Rows: rows}
	advise := func() (*Advice, error) {
		name, _ := written(t, scores)
		read, err := OpenScores(name)
		if err != nil {
			t.Fatal(err)
		}
		return Advise(t.Context(), s, state, Options{Continuations: 40, Scores: read})
	}
	a, err := advise()
	if err != nil {
		t.Fatal(err)
	}
	first := &a.Policies[0]
	c := first.Calibration
	if c == nil || c.Outcomes != 40 || c.Last != 30 || c.Cost90.Missed < 0.2 || *c.Cost90.Times <= 1 || c.Cost90.Level <= 1 {
		t.Fatalf("%+v, expected 40 outcomes of which many of the last missed", c)
	}
	was := &plain.Policies[0]
	if *first.USD.P95 <= *was.USD.P95 || *first.USD.P50 != *was.USD.P50 || *first.USD.P05 < a.SpentUSD || *a.Policies[1].USD.P95 != *plain.Policies[1].USD.P95 {
		t.Errorf("%+v was %+v", first.USD, was.USD)
	}
	scores.Rows = rows[:19]
	if a, err = advise(); err != nil || a.Policies[0].Calibration != nil || !strings.Contains(strings.Join(a.Warnings, "\n"), "of the scores 19 are of runs") {
		t.Errorf("%v %+v", err, a)
	}
	for change, want := range map[*string]string{
		&scores.Policy: `policy: "other", expected "spotdnn"`, &scores.Begins: `begins: "other", expected "2026-02-01T00:00:00Z"`,
		&scores.Objective: `expected "in-4h"`, &scores.Spec: `expected "recorded"`,
	} {
		before := *change
		*change = "other"
		if _, err := advise(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
		*change = before
	}
}

// A check's intervals are adapted by rows that were over by then, and its scores make the same of a state.
func TestCheckKeepsScores(t *testing.T) {
	s := write(t, known.AddDate(0, 0, 5), "")
	c, err := CheckIntervals(t.Context(), s, 40, 0.2, Options{Continuations: 20})
	if err != nil {
		t.Fatal(err)
	}
	if c.Widened == nil || c.Widened.Rows == 0 || c.Widened.Rows > len(c.Rows)-fewOutcomes || len(c.Scores.Rows) != len(c.Rows) {
		t.Fatalf("%+v of %d rows", c.Widened, len(c.Rows))
	}
	name, _ := written(t, c.Scores)
	if back, err := OpenScores(name); err != nil || !slices.Equal(back.Rows, c.Scores.Rows) || back.Begins != "2026-02-01T00:00:00Z" {
		t.Errorf("%v %+v", err, back)
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		if w := row.Widened; w != nil && (*w.USD.P05 > *w.USD.P25 || *w.USD.P25 > *w.USD.P50 || w.Outcomes < fewOutcomes) {
			t.Errorf("row %d: %+v", i, w)
		}
	}
}

func FuzzParseScores(f *testing.F) {
	f.Add([]byte(`{"version":1,"spec":"s","policy":"p","objective":"o","begins":"","sha256":"","rows":[
{"now_s":1,"known_s":2,"cost":{"low":0,"high":0.5},"finish":{"low":1,"high":2}}
]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := ParseScores("fuzz.json", data); err == nil {
			s.issueAt(1e6)
		}
	})
}
