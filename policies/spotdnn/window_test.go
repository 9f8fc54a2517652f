package spotdnn_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
	"pgregory.net/rapid"
)

func resnet110(t testing.TB) (ps.Profile, *ps.ASP) {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ps.NewASP(profile, coef, ps.FormArtifact, profile.Types())
	if err != nil {
		t.Fatal(err)
	}
	return profile, m
}

func task(profile ps.Profile, m *ps.ASP, loss, seconds float64) *spotdnn.Task {
	t := &spotdnn.Task{Model: m, From: math.Inf(1), To: loss, Seconds: seconds, Have: make([]int, len(profile))}
	for _, r := range profile {
		t.Free = append(t.Free, r.Quota)
		t.USD = append(t.USD, r.SpotUSDPerH)
	}
	return t
}

// The plans of spotDNN's public artifact, every one.
func TestWindowAgainstTheArtifact(t *testing.T) {
	rows := testutil.Table(t, "papers/spotdnn/testdata/artifact_oracle.csv")
	check := near.Count(t)
	profile, m := resnet110(t)
	var w spotdnn.Window
	for _, row := range rows[1:] {
		num := func(i int) float64 { x, _ := strconv.ParseFloat(row[i], 64); return x }
		c := w.Search(task(profile, m, num(0), num(1)))
		if infeasible := row[9] == "infeasible"; infeasible || !c.Feasible {
			if infeasible == c.Feasible || c.Reason == "" && infeasible {
				t.Errorf("%v: feasible %v, reason %q", row, c.Feasible, c.Reason)
			}
			continue
		}
		var counts []int
		for _, s := range strings.Fields(row[2]) {
			n, _ := strconv.Atoi(s)
			counts = append(counts, n)
		}
		if !reflect.DeepEqual(c.Counts, counts) || c.Workers != int(num(3)) {
			t.Errorf("%v: counts %v", row, c.Counts)
		}
		for i, got := range map[int]float64{4: c.Batch, 5: c.Speed, 6: c.Iterations, 7: c.Seconds, 8: c.USD} {
			printed := 0.5000001e-6 // the file has at most 6 decimals
			if check.OffRel(got, num(i), 1e-6) && (i != 8 || check.Off(got, num(i), printed)) {
				t.Errorf("%v: %s is %v", row, rows[0][i], got)
			}
		}
	}
}

// Table V of the paper, ResNet-110.
func TestWindowAgainstTableV(t *testing.T) {
	profile, m := resnet110(t)
	var w spotdnn.Window
	for _, row := range []struct {
		loss, seconds float64
		counts        []int
	}{{0.9, 1900, []int{2, 0, 2, 0, 0}}, {0.8, 2400, []int{2, 0, 4, 0, 0}}} {
		if c := w.Search(task(profile, m, row.loss, row.seconds)); !reflect.DeepEqual(c.Counts, row.counts) {
			t.Errorf("%v: %v", row, c.Counts)
		}
	}
}

func TestWindowKeepsWhatRuns(t *testing.T) {
	profile, m := resnet110(t)
	var w spotdnn.Window
	x := task(profile, m, 0.8, 2400)
	x.From, x.Have[1], x.Free[1] = 0.9, 3, 2
	c := w.Search(x)
	if !c.Feasible || c.Counts[1] < 3 {
		t.Errorf("%+v", c)
	}
	x.Have = []int{2, 0, 4, 0, 0}
	x.Seconds = 1e6
	if c := w.Search(x); !c.Feasible || !reflect.DeepEqual(c.Counts, x.Have) {
		t.Errorf("what runs is enough, got %+v", c)
	}
}

// Of zones of one type the cheapest are taken, wherever they stand.
func TestWindowTakesTheCheapestZones(t *testing.T) {
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ps.NewASP(profile, coef, ps.FormArtifact, []string{"p3.2xlarge", "p3.2xlarge", "p3.2xlarge"})
	if err != nil {
		t.Fatal(err)
	}
	var w spotdnn.Window
	for _, usd := range [][]float64{{1, 3, 1}, {3, 1, 1}, {1, 1, 3}} {
		c := w.Search(&spotdnn.Task{Model: m, From: math.Inf(1), To: 0.8, Seconds: 1e6, Exactly: 2, Free: []int{1, 1, 1},
			Have: make([]int, 3), USD: usd})
		for p, n := range c.Counts {
			if (n == 1) != (usd[p] == 1) {
				t.Errorf("prices %v: counts %v", usd, c.Counts)
			}
		}
	}
}

func TestWindowAllocatesNothingWhenWarm(t *testing.T) {
	profile, m := resnet110(t)
	var w spotdnn.Window
	x := task(profile, m, 0.7, 3600)
	w.Search(x)
	if n := testing.AllocsPerRun(20, func() { w.Search(x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// whole is a model that says nothing but whole estimates.
type whole struct{ sim.WorkerModel }

// A search that asks for seconds first finds what one finds that asks for whole estimates, to the last bit.
func TestWindowBySeconds(t *testing.T) {
	tasks := map[ps.Form]*spotdnn.Task{}
	for f := range ps.Forms {
		tasks[ps.Form(f)] = tableIII(t, ps.Form(f))
	}
	feasible := 0
	rapid.Check(t, func(t *rapid.T) {
		x := *tasks[ps.Form(rapid.IntRange(0, 2).Draw(t, "form"))]
		x.Free, x.Have, x.USD = make([]int, 7), make([]int, 7), make([]float64, 7)
		for p := range x.Free {
			x.Free[p] = rapid.IntRange(0, 5).Draw(t, "free")
			x.USD[p] = rapid.Float64Range(0.1, 8).Draw(t, "price")
			if rapid.IntRange(0, 3).Draw(t, "runs") == 0 {
				x.Have[p] = rapid.IntRange(1, 3).Draw(t, "have")
			}
		}
		x.To = rapid.Float64Range(0.52, 1.5).Draw(t, "loss")
		x.Seconds = math.Exp(rapid.Float64Range(4, 10).Draw(t, "time"))
		x.Margin = rapid.Float64Range(0, 0.1).Draw(t, "margin")
		x.Exactly = max(rapid.IntRange(-9, 12).Draw(t, "exactly"), 0)
		if rapid.Bool().Draw(t, "begun") {
			x.From = x.To + rapid.Float64Range(0.01, 1).Draw(t, "from")
		}
		y := x
		y.Model = whole{x.Model}
		var v, w spotdnn.Window
		a, b := v.Search(&x), w.Search(&y)
		if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) { // %v of a float64 is exact; NaN is no number's equal
			t.Fatalf("%+v: %+v, by whole estimates %+v", x, a, b)
		}
		if a.Feasible {
			feasible++
		}
	})
	if feasible == 0 {
		t.Error("no feasible task was met")
	}
}

// A search that passes over what is known of a policyutil.SlowestModel finds what one finds that looks at every
// window, to the last bit.
func TestWindowOfTheSlowest(t *testing.T) {
	feasible, mixed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		law := rapid.SampledFrom([]parallel.Law{{Scaling: parallel.Strong, Alone: 1, Exchange: 0.02}, {Scaling: parallel.Weak, Alone: 0.3, Latency: 0.01},
			{Scaling: parallel.Weak, Alone: 0.2, Exchange: 0.1}})
		laws := make([]parallel.Law, 4)
		x := spotdnn.Task{From: math.Inf(1), Free: make([]int, 4), Have: make([]int, 4), USD: make([]float64, 4)}
		for p := range laws {
			laws[p] = law.Draw(t, "law")
			x.Free[p] = rapid.IntRange(0, 12).Draw(t, "free")
			x.USD[p] = rapid.OneOf(rapid.Float64Range(0.1, 8), rapid.SampledFrom([]float64{0.1, 0.3, 1 + 1e-15, 1})).Draw(t, "price")
			if rapid.IntRange(0, 3).Draw(t, "runs") == 0 {
				x.Have[p] = rapid.IntRange(1, 3).Draw(t, "have")
			}
		}
		m, err := parallel.New(parallel.Job{Samples: 1e5, Batch: 8, Min: rapid.IntRange(1, 5).Draw(t, "min"), Max: 30}, laws)
		if err != nil {
			t.Fatal(err)
		}
		x.Model, x.Seconds = m, math.Exp(rapid.Float64Range(5, 10).Draw(t, "time"))
		x.Exactly = max(rapid.IntRange(-9, 20).Draw(t, "exactly"), 0)
		var shown [2]string
		if rapid.Bool().Draw(t, "explained") {
			x.Consider = func(c spotdnn.Choice) { shown[0] += fmt.Sprintf("%+v", c) }
		}
		y := x
		y.Model = whole{m}
		if x.Consider != nil {
			y.Consider = func(c spotdnn.Choice) { shown[1] += fmt.Sprintf("%+v", c) }
		}
		var v, w spotdnn.Window
		a, b := v.Search(&x), w.Search(&y)
		if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) || shown[0] != shown[1] {
			t.Fatalf("%+v: %+v, of every window %+v", x, a, b)
		}
		if a.Feasible {
			feasible++
		}
		if !slices.Contains(a.Counts, a.Workers) {
			mixed++
		}
	})
	if feasible == 0 || mixed == 0 {
		t.Errorf("%d feasible tasks, %d of several pools", feasible, mixed)
	}
}

func BenchmarkPlanSpotDNN(b *testing.B) {
	profile, m := resnet110(b)
	var w spotdnn.Window
	b.Run("5x25", func(b *testing.B) {
		x := task(profile, m, 0.7, 3600)
		start := simtest.CPUTime()
		for b.Loop() {
			if c := w.Search(x); !reflect.DeepEqual(c.Counts, []int{2, 0, 4, 0, 0}) {
				b.Fatal(c.Counts)
			}
		}
		b.ReportMetric(float64(simtest.CPUTime()-start)/float64(b.N), "cpu-ns/op")
	})
}
