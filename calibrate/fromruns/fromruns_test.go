package fromruns_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// syntheticRun is a run of known numbers: 2 steps a second for each of two instances, of which one is taken at 400 s
// and replaced at 460 s. A save of 10 s is complete at 210 s and has the steps of 200 s; training stands for 40 s after
// the loss.
func syntheticRun() fromruns.Run {
	nan := math.NaN()
	r := fromruns.Run{Name: "made", End: 900, Finished: true, Saves: []fromruns.Save{{At: 210, Took: 10}},
		Instances: []fromruns.Instance{
			{Type: "v", Launched: 0, Ready: 100, Noticed: nan, Gone: math.Inf(1)},
			{Type: "v", Launched: 0, Ready: 100, Noticed: 370, Gone: 400, Taken: true},
			{Type: "v", Launched: 460, Ready: 500, Noticed: nan, Gone: math.Inf(1)},
		}}
	steps := func(t float64) float64 {
		switch {
		case t <= 200:
			return 4 * (t - 100)
		case t <= 210:
			return 400
		case t <= 400:
			return 400 + 4*(t-210)
		case t <= 440:
			return math.NaN()
		case t <= 500:
			return 400 + 2*(t-440)
		}
		return 520 + 4*(t-500)
	}
	for t := 100.0; t <= 900; t += 5 {
		if s := steps(t); !math.IsNaN(s) {
			r.Progress = append(r.Progress, fromruns.Point{At: t, Steps: s})
		}
	}
	return r
}

func equal(t *testing.T, what string, got, want float64) {
	t.Helper()
	near.Abs(t, what, got, want, 1e-6*math.Max(math.Abs(want), 1))
}

// TestFit checks every number of a run that was worked out by hand.
func TestFit(t *testing.T) {
	f, err := fromruns.Fit([]fromruns.Run{syntheticRun()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.Speeds()); n != 2 {
		t.Fatalf("%d sizes, want 2", n)
	}
	for i, want := range []float64{2, 4} {
		got, _, _ := f.StepsPerS(&f.Speeds()[i], 0.9)
		equal(t, "speed", got, want)
	}
	equal(t, "boots", f.Boot.Median(), math.Cbrt(100*100*40))
	equal(t, "starts", f.GangStart.Median(), math.Cbrt(100*100*40))
	equal(t, "restart", f.Restart.Median(), 40)
	equal(t, "save", f.Save.Median(), 10)
	equal(t, "notice", f.Notice.Median(), 30)
	equal(t, "resize", f.Resize.Median(), 0)
	if !f.RollsBack() || f.Losses != 1 || f.Rollbacks != 1 || f.Min != 1 {
		t.Errorf("%d of %d losses rolled back, least %d, want 1 of 1, 1", f.Rollbacks, f.Losses, f.Min)
	}
}

// TestGangStart checks that a boot is of the instance alone, and the start of the gang what its first instances wait
// for: the slowest of them, and what there was to set up. Where nobody says when instances were ready, only the start
// is known.
func TestGangStart(t *testing.T) {
	r := syntheticRun()
	r.Instances[0].Ready, r.Instances[1].Ready = 50, 80 // and trains from 100 on
	f, err := fromruns.Fit([]fromruns.Run{r}, nil)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "boots", f.Boot.Median(), math.Cbrt(50*80*40))
	equal(t, "starts", f.GangStart.Median(), math.Cbrt(100*100*40))
	if boot, observed := f.BootTime(); !observed || boot.Median.Round(time.Microsecond) != time.Duration(math.Cbrt(100*100*40)*1e9).Round(time.Microsecond) {
		t.Errorf("simulations boot in %v, %v", boot, observed)
	}
	for i := range r.Instances {
		r.Instances[i].Ready = math.NaN()
	}
	if f, err = fromruns.Fit([]fromruns.Run{r}, nil); err != nil {
		t.Fatal(err)
	}
	equal(t, "starts without an instant", f.GangStart.Median(), 100)
	if !f.Boot.Assumed() || slices.ContainsFunc(f.Rows(), func(x fromruns.Row) bool { return x.What == "boot" }) {
		t.Errorf("a boot of %v s from nothing", f.Boot.Median())
	}
	path := filepath.Join(t.TempDir(), "model.json")
	if err := f.WriteFile(path, "test"); err != nil {
		t.Fatal(err)
	}
	if f, err = fromruns.ReadFile(path); err != nil || !f.Boot.Assumed() {
		t.Fatalf("%v; boot %v", err, f.Boot)
	}
	equal(t, "starts of the file", f.GangStart.Median(), 100)
}

// TestEarlierFile checks that the boot of a file of an earlier version is the start of the gang, which is what it was.
func TestEarlierFile(t *testing.T) {
	f, err := fromruns.Parse([]byte(`{"kind": "observed runs", "marigram": "0.1", "runs": ["a"], "least_instances": 1, "notes": [], "fit": [
		{"what": "speed", "type": "v", "workers": 1, "unit": "steps/s", "observations": 1, "value": 2, "logarithmic": true},
		{"what": "boot", "unit": "s", "observations": 3, "value": 74, "residual": 0.2, "logarithmic": true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "start", f.GangStart.Median(), 74)
	if boot, observed := f.BootTime(); !observed || boot.Sigma != 0.2 || !f.Boot.Assumed() || len(f.Notes) != 1 {
		t.Errorf("boot %v, %v, own %v, notes %q", boot, observed, f.Boot, f.Notes)
	}
}

// TestWholeJobOnly checks that a size on which a run stood for long is known as one that does not train.
func TestWholeJobOnly(t *testing.T) {
	r := syntheticRun()
	r.Progress = nil
	for at := 100.0; at <= 900; at += 5 {
		switch {
		case at <= 400:
			r.Progress = append(r.Progress, fromruns.Point{At: at, Steps: 4 * (at - 100)})
		case at > 500:
			r.Progress = append(r.Progress, fromruns.Point{At: at, Steps: 1200 + 4*(at-500)})
		}
	}
	f, err := fromruns.Fit([]fromruns.Run{r}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Min != 2 || f.RollsBack() {
		t.Errorf("least %d, rolls back %v, want 2 and false", f.Min, f.RollsBack())
	}
}

// TestSizesBetween checks speeds of sizes that were not measured.
func TestSizesBetween(t *testing.T) {
	f, err := fromruns.Fit([]fromruns.Run{syntheticRun()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Point(fromruns.Job{Steps: 100, Types: []string{"v"}, Max: 8})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int32]float64{1: 2, 2: 4, 8: 16} {
		equal(t, "speed", m.Rate(&sim.Layout{Workers: []int32{n}}).Progress, want)
	}
	if _, err := f.Point(fromruns.Job{Steps: 100, Types: []string{"other"}, Max: 8}); err == nil {
		t.Error("a type that was never seen has a speed")
	}
}

// TestModelFile checks that a model file gives the same model back.
func TestModelFile(t *testing.T) {
	f, err := fromruns.Fit([]fromruns.Run{syntheticRun()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.json")
	if err := f.WriteFile(path, "test"); err != nil {
		t.Fatal(err)
	}
	g, err := fromruns.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := f.Rows(), g.Rows()
	if len(a) != len(b) {
		t.Fatalf("%d numbers, want %d", len(b), len(a))
	}
	for i := range a {
		equal(t, a[i].What, b[i].Value, a[i].Value)
	}
	if g.Min != f.Min || g.RollsBack() != f.RollsBack() {
		t.Error("what a loss does was not kept")
	}
}

// TestNothingToFit checks the error of runs without progress.
func TestNothingToFit(t *testing.T) {
	if _, err := fromruns.Fit([]fromruns.Run{{Name: "empty", End: 1}}, nil); err != fromruns.ErrNoSpeed {
		t.Errorf("error %v, want %v", err, fromruns.ErrNoSpeed)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"kind": "observed runs", "least_instances": 1, "fit": [{"what": "speed", "type": "v", "workers": 2, "unit": "steps/s", "value": 4}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := fromruns.Parse(text)
		if err != nil {
			return
		}
		if _, err := x.Draw(fromruns.Job{Steps: 1, Types: []string{x.Speeds()[0].Type}, Max: 4}, 1); err != nil {
			t.Fatal(err)
		}
	})
}
