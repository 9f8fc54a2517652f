package claims

import (
	"context"
	"errors"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
)

// Every figure has claims, a spec and a procedure, which reports what is
// claimed, no less and no more; and what is claimed holds, but for what depends
// on the clock of the machine.
func TestFigures(t *testing.T) {
	want := map[string][]Claim{}
	for _, c := range Published() {
		want[c.Figure()] = append(want[c.Figure()], c)
	}
	for _, name := range experiments.Figures() {
		if want[name] == nil {
			t.Errorf("spec %s has no claims", name)
		}
	}
	slow := []string{"cmdare/scores", "cmdare/speeds", "spotdnn/planning", "parcae/fig14", "waiting/simulated"} // seconds each, minutes with the race detector
	for name, list := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && slices.Contains(slow, name) {
				t.Skip("-short: a slow figure")
			}
			values, err := reproduce(context.Background(), name)
			if errors.As(err, &notPulled{}) {
				t.Skip(err) // TestPulledClaims
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				value, ok := values[path.Base(c.Name)]
				o := judge(c, value, nil)
				switch {
				case !ok:
					t.Errorf("no number for %s", c.Name)
				case o.Verdict == Fail && !c.timed():
					t.Errorf("%s: published %v, simulated %v, error %v, tolerance %v", o.Name, o.Published, value, deref(o.Error), o.Tolerance)
				}
				delete(values, path.Base(c.Name))
			}
			for item := range values {
				t.Errorf("a number for %s, which is not claimed", item)
			}
		})
	}
}

// Run gives each claim its outcome, in the order asked for.
func TestRun(t *testing.T) {
	list, err := Select("spotdnn/fig6")
	if err != nil {
		t.Fatal(err)
	}
	figures := 0
	out, err := Run(context.Background(), list, func(string) { figures++ })
	if err != nil || figures != 1 || len(out) != len(list) {
		t.Fatalf("%d outcomes of %d claims, %d figures, %v", len(out), len(list), figures, err)
	}
	for i, o := range out {
		if o.Name != list[i].Name || o.Simulated == nil {
			t.Errorf("%+v", o)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, list, nil); err == nil {
		t.Error("an interrupt is not told")
	}
}

func deref(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

func TestErrors(t *testing.T) {
	for _, x := range []struct {
		kind Kind
		sim  float64
		want float64
	}{
		{Relative, 190, 0.05}, {Relative, 210, 0.05}, {Absolute, 190, 10}, {Exact, 200, 0},
		{Most, 190, 0}, {Most, 210, 10}, {Least, 190, 10}, {Least, 210, 0},
	} {
		c := Claim{Published: 200, Kind: x.kind}
		if got := c.Error(x.sim); math.Abs(got-x.want) > 1e-12 {
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
	if o := judge(c, math.NaN(), nil); o.Verdict != Fail || o.Simulated != nil {
		t.Errorf("no number: %+v", o)
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
		"a/b,,,1,s,relative,0.1,x,", "a/b/c,,,0,s,relative,0.1,x,", "a/b/c,,,1,s,exact,0.1,x,", "a/b/c,,,1,s,near,0.1,x,",
		"a/b/c,,,1,,relative,0.1,x,", "a/b/c,,,1,s,relative,0.1,,", "a/b/c,,,x,s,relative,0.1,x,", "a/b/c,,,NaN,s,most,0,x,",
		"a/b/c,,,1,s,relative,-1,x,", "a/b/c,,,1,s,most,0,x,\na/b/c,,,1,s,most,0,x,",
	} {
		if _, err := parse([]byte(head + row)); err == nil {
			t.Errorf("accepted: %s", row)
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
	for _, name := range experiments.Figures() {
		spec, err := experiments.OpenFigure(name)
		if err != nil {
			t.Fatal(err)
		}
		if numeric[name] != (spec.X != "") {
			t.Errorf("%s: x %q, numbers there: %v", name, spec.X, numeric[name])
		}
	}
}
