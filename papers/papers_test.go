package papers

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func TestErrors(t *testing.T) {
	check := near.Count(t)
	for _, x := range []struct {
		kind Kind
		sim  float64
		want float64
	}{
		{Relative, 190, 0.05}, {Relative, 210, 0.05}, {Absolute, 190, 10}, {Exact, 200, 0},
		{Max, 190, 0}, {Max, 210, 10}, {Min, 190, 10}, {Min, 210, 0},
	} {
		c := Claim{Published: 200, Kind: x.kind}
		if got := c.Error(x.sim); check.Off(got, x.want, 1e-12) {
			t.Errorf("%s: error of %v is %v, want %v", x.kind, x.sim, got, x.want)
		}
	}
}

// A claim can fail, and one without a number does.
func TestJudge(t *testing.T) {
	c := Claim{Name: "a/b/c", Published: 100, Kind: Relative, Tolerance: 0.01}
	for sim, want := range map[float64]Verdict{100.9: Pass, 99.1: Pass, 101.1: Fail, math.Inf(1): Fail} {
		if o := judge(c, sim, nil); o.Verdict != want {
			t.Errorf("%v: %s, want %s", sim, o.Verdict, want)
		}
	}
	for _, kind := range []Kind{Relative, Absolute, Exact, Max, Min} {
		c := Claim{Name: "a/b/c", Published: 100, Kind: kind}
		if kind == Relative || kind == Absolute {
			c.Tolerance = 1e300
		}
		for _, none := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if o := judge(c, none, nil); o.Verdict != Fail || o.Simulated != nil {
				t.Errorf("%s: no number holds: %v is %+v", kind, none, o)
			}
		}
		for _, tolerance := range []float64{math.NaN(), math.Inf(1), -1} {
			if c.Tolerance = tolerance; c.check() == nil {
				t.Errorf("%s: a tolerance of %v is taken", kind, tolerance)
			}
		}
	}
	c.Fitted = true
	for sim, want := range map[float64]Verdict{100.9: Fitted, 101.1: Fail} {
		if o := judge(c, sim, nil); o.Verdict != want {
			t.Errorf("fitted, %v: %s, want %s", sim, o.Verdict, want)
		}
	}
	c.Open = "not measured"
	if o := judge(c, 500, nil); o.Verdict != Open || o.Reason != "not measured" {
		t.Errorf("open: %+v", o)
	}
}

func TestSelect(t *testing.T) {
	for _, names := range [][]string{{"spotdnn"}, {"spotdnn/fig6"}, {"spotdnn/fig6/"}, {"spotdnn/fig6/resnet110-2.4"}} {
		list, err := Select(names...)
		if err != nil || len(list) == 0 {
			t.Fatalf("%v: %d claims, %v", names, len(list), err)
		}
		for _, c := range list {
			if !strings.HasPrefix(c.Name, strings.TrimSuffix(names[0], "/")) {
				t.Errorf("%v selects %s", names, c.Name)
			}
		}
	}
	if _, err := Select("spotdn"); err == nil || !strings.Contains(err.Error(), `did you mean "spotdnn"`) {
		t.Errorf("unknown name: %v", err)
	}
}

func TestBadTables(t *testing.T) {
	head := strings.Join(columns, ",") + "\n"
	for _, row := range []string{
		"a/b,,,1,s,relative,0.1,ours,x,,", "a/b/c,,,0,s,relative,0.1,ours,x,,", "a/b/c,,,1,s,exact,0.1,,x,,", "a/b/c,,,1,s,near,0.1,ours,x,,",
		"a/b/c,,,1,,relative,0.1,ours,x,,", "a/b/c,,,1,s,relative,0.1,ours,,,", "a/b/c,,,x,s,relative,0.1,ours,x,,",
		"a/b/c,,,NaN,s,most,0,ours,x,,", "a/b/c,,,1,s,relative,-1,ours,x,,", "a/b/c,,,1,s,most,0,ours,x,,,\na/b/c,,,1,s,most,0,ours,x,,",
		"a/b/c,,,1,s,most,0,ours,x,,fit", "a/b/c,,,1,s,relative,0.1,,x,,", "a/b/c,,,1,s,relative,0.1,theirs,x,,", "a/b/c,,,1,s,exact,0,ours,x,,",
		"a/b/c,,,1.5,s,absolute,0.2,digits,x,,", "a/b/c,,,1.50,s,relative,0.01,digits,x,,",
	} {
		if _, err := parse([]byte(head + row + ",")); err == nil {
			t.Errorf("accepted: %s", row)
		}
	}
	if list, err := parse([]byte(head + "a/b/c,,,1,s,most,0,ours,x,code,fitted,")); err != nil || list[0].Origin != Code || !list[0].Fitted {
		t.Errorf("%+v, %v", list, err)
	}
	for _, row := range []string{
		"a/b/c,,,1.5,s,absolute,0.1,digits,x,,,", "a/b/c,,,1.50,s,relative,0.005,digits,x,,,", "a/b/c,,,150,s,absolute,1,digits,x,,,",
		"a/b/c,,,1.5e-3,s,absolute,1e-4,digits,x,,,", "a/b/c,,,1.5,s,absolute,0.2,noise,x,,,", "a/b/c,,,1,s,exact,0,,x,,,",
	} {
		if _, err := parse([]byte(head + row)); err != nil {
			t.Errorf("refused: %s: %v", row, err)
		}
	}
}

// An error above nine tenths of the tolerance is next to it.
func TestNextTo(t *testing.T) {
	for sim, want := range map[float64]bool{100: false, 108.9: false, 109.1: true, 90.9: true, 91.1: false} {
		if c := (Claim{Published: 100, Kind: Relative, Tolerance: 0.1}); c.NextTo(sim) != want {
			t.Errorf("%v: next to the tolerance: %v, want %v", sim, !want, want)
		}
		if c := (Claim{Published: 100, Kind: Max}); c.NextTo(sim) {
			t.Errorf("%v is next to a bound", sim)
		}
	}
}

// What is not pulled is neither open nor a failure, unless the table says that the claim is open.
func TestMissing(t *testing.T) {
	missing := NotPulled{"a-set", errors.New("a-set is not pulled")}
	c := Claim{Name: "a/b/c", Published: 1, Kind: Exact}
	if o := judge(c, math.NaN(), fmt.Errorf("a/b: %w", missing)); o.Verdict != Missing || o.Reason == "" {
		t.Errorf("not pulled: %+v", o)
	}
	c.Open = "for a reason"
	if o := judge(c, math.NaN(), missing); o.Verdict != Open {
		t.Errorf("open and not pulled: %+v", o)
	}
}

// Every claim has an origin, its own or that of its figure.
func TestOrigins(t *testing.T) {
	list := []Claim{{Name: "spotdnn/fig6/x"}, {Name: "spotdnn/fig6/y", Origin: Bound}}
	if err := originate(list); err != nil || list[0].Origin != Printed || list[1].Origin != Bound {
		t.Errorf("%+v, %v", list, err)
	}
	for _, c := range []Claim{{Name: "spotdnn/fig6/x", Origin: "guess"}, {Name: "no/figure/x"}} {
		if err := originate([]Claim{c}); err == nil {
			t.Errorf("accepted: %+v", c)
		}
	}
	var outcomes []Outcome
	for _, v := range []Verdict{Pass, Pass, Fail, Fitted, Open} {
		outcomes = append(outcomes, Outcome{Claim: Claim{Published: 1, Origin: Code}, Verdict: v})
	}
	outcomes = append(outcomes, Outcome{Claim: Claim{Origin: Code, Unit: "events"}, Verdict: Pass},
		Outcome{Claim: Claim{Origin: Printed, Unit: "instances off the plan"}, Verdict: Open})
	all, by := Count(outcomes)
	want := []OriginTally{
		{Printed, Tally{Numbers: 1, Open: 1}},
		{Code, Tally{Numbers: 5, Pass: 2, Fail: 1, Fitted: 1, Open: 1}},
		{Zero, Tally{Numbers: 1, Pass: 1}},
	}
	if !slices.Equal(by, want) || all != (Tally{Numbers: 7, Pass: 3, Fail: 1, Fitted: 1, Open: 2}) {
		t.Errorf("%+v, %+v", all, by)
	}
	ordered := Ordered(outcomes)
	if ordered[0].Claim.Origin != Printed || ordered[1].Verdict != Pass || ordered[6].Claim.Counted() != Zero {
		t.Errorf("%+v", ordered)
	}
}

// What a fit saw is marked: n rows of a figure, and none that is held out.
func TestFittedRows(t *testing.T) {
	fitted, others := map[string]int{}, map[string]int{}
	for _, c := range Published() {
		if c.Fitted {
			fitted[c.Figure()]++
		} else {
			others[c.Figure()]++
		}
		if c.Fitted && (strings.Contains(c.Source, "held out") || strings.Contains(c.Name, "left-out")) {
			t.Errorf("%s is held out and marked as fitted", c.Name)
		}
	}
	for figure, want := range map[string][2]int{
		"spotdnn/fig6": {3, 6}, "spotdnn/fig5": {0, 4}, "icac19/speeds": {37, 40}, "icac19/revocations": {0, 21},
		"cmdare/speeds": {96, 97}, "cmdare/distance": {8, 9}, "cmdare/rollback": {5, 6},
		"spotdnn/table1": {12, 0}, "spotdnn/headline": {1, 1}, "torchft/failures": {2, 4}, "sync/stragglers": {1, 5},
	} {
		if got := [2]int{fitted[figure], others[figure]}; got != want {
			t.Errorf("%s: %v rows fitted and not, want %v", figure, got, want)
		}
	}
}

// A figure whose claims lie at numbers says what these are.
func TestFiguresNameTheirAxis(t *testing.T) {
	numeric := map[string]bool{}
	for _, c := range Published() {
		_, err := strconv.ParseFloat(c.X, 64)
		numeric[c.Figure()] = numeric[c.Figure()] || err == nil
	}
	for _, name := range SpecNames() {
		s, err := OpenSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		if numeric[name] != (s.X != "") {
			t.Errorf("%s: x %q, numbers there: %v", name, s.X, numeric[name])
		}
	}
}
