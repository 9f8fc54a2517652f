package stalls

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// The stages of runs that grow from one to the next add up to the slowest run.
func TestStagesAddUp(t *testing.T) {
	check := near.Count(t)
	rapid.Check(t, func(t *rapid.T) {
		part := func(name string) float64 { return rapid.Float64Range(0, 100).Draw(t, name) }
		d := Differential{One: 1 + part("compute")}
		d.All = d.One + part("exchange")
		d.Warm = d.All + part("prep")
		d.Cold = d.Warm + part("fetch")
		if got := d.Stages(8).Step() * 8; check.Off(got, d.Cold, 1e-9) {
			t.Fatalf("%+v: the stages add up to %v", d, got)
		}
		s := d.Stalls()
		for _, x := range []Stall{s.Interconnect, s.CPU, s.Disk} {
			if check.Below(x.Share, 0) || !(x.Share < 1) {
				t.Fatalf("%+v: share %v", d, x.Share)
			}
		}
		long := d
		long.Cold, long.Warm, long.RealSamples, long.SyntheticSamples = 5*d.Cold, 5*d.Warm, 50, 10
		if a, b := long.Stalls().CPU.Seconds, s.CPU.Seconds; check.Off(a, b, 1e-9) {
			t.Fatalf("%v s of five times as much real data, %v s", a, b)
		}
	})
}

func TestRates(t *testing.T) {
	d := Differential{One: 50, All: 60, Cold: 200, Warm: 80}
	if r := d.Rates(1200); r != (Rates{20, 15, 10}) {
		t.Errorf("%+v", r)
	}
	d.Cold = 80
	if r := d.Rates(1200); !math.IsInf(r.Fetch, 1) {
		t.Errorf("nothing to fetch: %+v", r)
	}
	if s := (Differential{One: 50, All: 60, Cold: 70, Warm: 65, Networked: 300}).Stages(10); s.Network != 24 {
		t.Errorf("%+v", s)
	}
}

// The fit of layers and gradients finds the parameters of a ring of 8 GPUs back.
func TestExchangeIsStallLayers(t *testing.T) {
	check := near.Count(t)
	var rows []fit.Measurement
	for _, x := range [][2]float64{{10, 20}, {50, 98}, {152, 230}, {19, 548}, {16, 528}} {
		rows = append(rows, fit.Measurement{Layers: int(x[0]), GradientMB: x[1], SyncS: 2e-4*x[0] + 1.75*x[1]/1250})
	}
	got, err := stallLayers.Fit(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2e-4, 1.75 / 1250, 0} {
		if check.Off(got[i], want, 1e-12) {
			t.Errorf("%s is %v, want %v", stallLayers.Parameters[i].Name, got[i], want)
		}
	}
}
