package stalls

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// The stalls of runs that grow from one to the next are their differences, and shares below 1.
func TestStallsAddUp(t *testing.T) {
	check := near.Count(t)
	rapid.Check(t, func(t *rapid.T) {
		part := func(name string) float64 { return rapid.Float64Range(0, 100).Draw(t, name) }
		d := Differential{One: 1 + part("compute")}
		d.All = d.One + part("exchange")
		d.Warm = d.All + part("prep")
		d.Cold = d.Warm + part("fetch")
		s := d.Stalls()
		sum := d.One + s.Interconnect.Seconds + s.CPU.Seconds + s.Disk.Seconds
		if check.Off(sum, d.Cold, 1e-9) {
			t.Fatalf("%+v: the stages add up to %v", d, sum)
		}
		for _, x := range []Stall{s.Interconnect, s.CPU, s.Disk} {
			if check.Below(x.Share, 0) || !(x.Share < 1) {
				t.Fatalf("%+v: share %v", d, x.Share)
			}
		}
	})
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
