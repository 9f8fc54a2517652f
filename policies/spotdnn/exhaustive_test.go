package spotdnn_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/spotdnn"
	"pgregory.net/rapid"
)

// tableIII is the 70-instance case of the paper: seven types of Table III, ten
// of each. Two of them are not in the published profile: they are as fast as
// the same GPUs there.
func tableIII(t testing.TB, form ps.Form) *spotdnn.Task {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	profile = append(profile,
		ps.ProfileRow{InstanceType: "g4dn.12xlarge", GPUs: 4, BatchPerGPU: 1024, SpeedSamplesPerS: 4 * 750,
			SpotUSDPerH: 1.22},
		ps.ProfileRow{InstanceType: "g3.4xlarge", GPUs: 1, BatchPerGPU: 512, SpeedSamplesPerS: 509, SpotUSDPerH: 0.34})
	for i := range profile {
		profile[i].Quota = 10
	}
	coef.Gamma4 = 0.3
	m, err := ps.NewASP(profile, coef, form, profile.Types())
	if err != nil {
		t.Fatal(err)
	}
	return task(profile, m, 0.8, 2600)
}

// Branch and bound finds what every cluster evaluated finds, whatever the
// market, the form, the objective, and what runs already.
func TestExhaustiveMissesNothing(t *testing.T) {
	check := near.Count(t)
	tasks := map[ps.Form]*spotdnn.Task{}
	for f := range ps.Forms {
		tasks[ps.Form(f)] = tableIII(t, ps.Form(f))
	}
	feasible, late, cut := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		x := *tasks[ps.Form(rapid.IntRange(0, 2).Draw(t, "form"))]
		x.Free, x.Have, x.USD = make([]int, 7), make([]int, 7), make([]float64, 7)
		for p := range x.Free {
			x.Free[p] = rapid.IntRange(0, 3).Draw(t, "free")
			x.USD[p] = float64(rapid.IntRange(1, 40).Draw(t, "price")) / 10
			if rapid.IntRange(0, 5).Draw(t, "runs") == 0 {
				x.Have[p] = rapid.IntRange(1, 2).Draw(t, "have")
			}
		}
		x.To = rapid.Float64Range(0.52, 1.5).Draw(t, "loss")
		x.Seconds = math.Exp(rapid.Float64Range(4, 10).Draw(t, "time"))
		if rapid.Bool().Draw(t, "begun") {
			x.From = x.To + rapid.Float64Range(0.01, 1).Draw(t, "from")
		}
		every, pruned := spotdnn.Exhaustive{Every: true}, spotdnn.Exhaustive{}
		a, b := every.Search(&x), pruned.Search(&x)
		if a.Feasible != b.Feasible {
			t.Fatalf("%+v: %+v, of all %+v", x, b, a)
		}
		got, want := b.USD, a.USD
		if !a.Feasible {
			got, want = b.Seconds, a.Seconds
		}
		if math.IsInf(got, 1) != math.IsInf(want, 1) || !math.IsInf(want, 1) && check.OffRel(got, want, 2e-9) {
			t.Fatalf("%+v: %+v, of all %+v", x, b, a)
		}
		for p, k := range b.Counts {
			if k < x.Have[p] || k > x.Have[p]+x.Free[p] {
				t.Fatalf("%v of %v and %v", b.Counts, x.Have, x.Free)
			}
		}
		if a.Feasible {
			feasible++
		} else {
			late++
		}
		if b.Evaluated < a.Evaluated {
			cut++
		}
	})
	if feasible == 0 || late == 0 || cut == 0 {
		t.Errorf("%d feasible, %d late, %d cut: a case was not met", feasible, late, cut)
	}
}

// Table I of the paper: the exhaustive search beats the window there.
func TestStrategiesAgainstTableI(t *testing.T) {
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ps.NewASP(profile, coef, ps.FormFigures, profile.Types())
	if err != nil {
		t.Fatal(err)
	}
	x := task(profile, m, 0.8, 2600)
	x.Free[0], x.USD[3] = 0, 1.37 // no p3.2xlarge, and g3.16xlarge at the price of Table III
	if c := (&spotdnn.Window{}).Search(x); !slices.Equal(c.Counts, []int{0, 0, 5, 3, 0}) {
		t.Errorf("spotDNN's window: %+v", c)
	}
	if c := (&spotdnn.Exhaustive{}).Search(x); !slices.Equal(c.Counts, []int{0, 2, 5, 2, 0}) {
		t.Errorf("all clusters: %+v", c)
	}
}

// Without contention nine workers are as fast together as alone; a plan of at
// most eight does not change.
func TestUncontended(t *testing.T) {
	profile, m := resnet110(t)
	u, w := spotdnn.Uncontended{}, spotdnn.Window{}
	x := task(profile, m, 0.8, 2400)
	few, want := u.Search(x), w.Search(x)
	if !reflect.DeepEqual(few.Counts, want.Counts) || few.Seconds != want.Seconds {
		t.Errorf("%+v, with contention %+v", few, want)
	}
	x.Exactly, x.To = 14, 0.55
	if many, contended := u.Search(x), w.Search(x); !(many.Speed > contended.Speed) {
		t.Errorf("14 workers: %v samples/s, with contention %v", many.Speed, contended.Speed)
	}
}

func TestExhaustiveAllocatesNothingWhenWarm(t *testing.T) {
	profile, m := resnet110(t)
	var e spotdnn.Exhaustive
	x := task(profile, m, 0.8, 2400)
	e.Search(x)
	if n := testing.AllocsPerRun(5, func() { e.Search(x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkExhaustive70 is the case that took the paper's exhaustive search
// 1503.7 s.
func BenchmarkExhaustive70(b *testing.B) {
	x := tableIII(b, ps.FormFigures)
	var e spotdnn.Exhaustive
	for b.Loop() {
		if c := e.Search(x); !c.Feasible {
			b.Fatal(c.Reason)
		}
	}
}
