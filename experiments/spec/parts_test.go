package spec_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/spec"
)

// No instant is in a run of both parts, and a horizon lies between them; all starts of a part are in its window.
func TestParts(t *testing.T) {
	for _, x := range []struct{ hours, horizon, blocks int }{{1000, 7, 8}, {100, 3, 8}, {100, 4, 4}, {100, 20, 2}, {41, 10, 2}} {
		end, horizon := time.Duration(x.hours)*time.Hour, time.Duration(x.horizon)*time.Hour
		of := map[string]*spec.Window{}
		for _, part := range []string{spec.Train, spec.Judge} {
			w, err := spec.WindowOf(part, end, horizon)
			if err != nil {
				t.Fatal(err)
			}
			of[part] = w
		}
		before, changes := "", 0
		var left time.Duration // the last start of the part before
		for at := time.Duration(0); at+horizon <= end; at += time.Minute {
			train, judge := of[spec.Train].Has(at), of[spec.Judge].Has(at)
			part := spec.Train
			switch {
			case train && judge:
				t.Fatalf("%+v: a run from %v is in both parts", x, at)
			case !train && !judge:
				continue
			case judge:
				part = spec.Judge
			}
			if part != before {
				changes++
				if before != "" && at-left < 2*horizon {
					t.Errorf("%+v: a run from %v and one from %v are in different parts", x, left, at)
				}
			}
			before, left = part, at
		}
		if changes != x.blocks {
			t.Errorf("%+v: %d blocks", x, changes)
		}
		for part, w := range of {
			for k := range uint64(1000) {
				if at := w.Draw(7, k); !w.Has(at) || at+horizon > end {
					t.Errorf("%+v: %v is drawn for %s", x, at, part)
				}
			}
			starts, err := (&spec.Starts{EveryS: 600, Part: part}).List(end, horizon, 1)
			if err != nil || len(starts) == 0 {
				t.Fatal(err)
			}
			for _, at := range starts {
				if !w.Has(time.Duration(at) * time.Second) {
					t.Errorf("%+v: a start at %v s is listed for %s", x, at, part)
				}
			}
		}
	}
	if _, err := spec.WindowOf(spec.Judge, 40*time.Hour, 10*time.Hour); err == nil || !strings.Contains(err.Error(), "too short for two parts") {
		t.Error(err)
	}
	if _, err := (&spec.Starts{Part: spec.Judge}).List(time.Hour, time.Minute, 1); err == nil || !strings.Contains(err.Error(), "expected every or random") {
		t.Error(err)
	}
}

func ExampleWindowOf() {
	w, _ := spec.WindowOf(spec.Judge, 1000*time.Hour, 7*time.Hour)
	fmt.Println(w.At(0), w.Draw(1, 0), w.Total())
	// Output:
	// 125h0m0s 983h43m6s 451h0m0s
}
