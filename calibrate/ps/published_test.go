package ps

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// What Eq. 3 generates is found again, in all forms, and predicts other points.
func TestFitLossFindsItsOwn(t *testing.T) {
	check := near.Count(t)
	rapid.Check(t, func(t *rapid.T) {
		form := Form(rapid.IntRange(0, len(Forms)-1).Draw(t, "form"))
		c := Coefficients{
			Gamma1: rapid.Float64Range(500, 9000).Draw(t, "gamma1"), Gamma2: rapid.Float64Range(-0.3, -0.05).Draw(t, "gamma2"),
			Gamma3: rapid.Float64Range(2000, 9000).Draw(t, "gamma3"), Gamma4: math.NaN(), Gamma5: rapid.Float64Range(0.2, 3).Draw(t, "gamma5"),
		}
		if form == FormPaper {
			c.Gamma4 = rapid.Float64Range(0.1, 1).Draw(t, "gamma4")
		}
		loss := func(p LossPoint) float64 {
			a := (c.Gamma2*p.Batch + c.Gamma3) * math.Sqrt(float64(p.Workers))
			if form == FormPaper {
				a *= math.Sqrt(p.Convergence + c.Gamma4)
			}
			return a/(p.Iterations+c.Gamma1) + c.Gamma5
		}
		var points []LossPoint
		for i, n := range []int{1, 3, 4, 8} {
			for _, j := range []float64{500, 5000, 30000} {
				p := LossPoint{Workers: n, Batch: float64(512 * (1 + n%3)), Convergence: []float64{0, 0.5, 0.87, 0.7}[i], Iterations: j}
				p.Loss = loss(p)
				points = append(points, p)
			}
		}
		got, residuals, err := FitLoss(Coefficients{ParameterMB: 7}, form, points)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range map[int][2]float64{1: {got.Gamma1, c.Gamma1}, 2: {got.Gamma2, c.Gamma2}, 3: {got.Gamma3, c.Gamma3}, 5: {got.Gamma5, c.Gamma5}} {
			if check.OffRel(x[0], x[1], 0.02) {
				t.Fatalf("gamma%d is %v, made with %v (%+v)", i, x[0], x[1], got)
			}
		}
		for i, r := range residuals {
			if check.Off(r, 0, 1e-3) {
				t.Fatalf("residual of point %d: %v", i, r)
			}
		}
		if got.ParameterMB != 7 || (form == FormPaper) == math.IsNaN(got.Gamma4) {
			t.Fatalf("%+v", got)
		}
	})
}

func TestFitLossErrors(t *testing.T) {
	p := LossPoint{Workers: 2, Batch: 64, Convergence: 0.7, Iterations: 100, Loss: 2}
	q, r := p, p
	q.Iterations, q.Loss, r.Iterations, r.Loss = 200, 1.5, 400, 1.2
	bad := p
	bad.Loss = 0
	for says, x := range map[string]struct {
		form   Form
		points []LossPoint
	}{
		"2 points, expected at least 3":          {FormFigures, []LossPoint{p, q}},
		"gamma4 needs at least two":              {FormPaper, []LossPoint{p, q, r, r}},
		"point 2, {Workers:2":                    {FormFigures, []LossPoint{p, bad, r}},
		"do not have the shape of Eq. 3: gamma1": {FormFigures, []LossPoint{{2, 64, 0, 100, 1.2}, {2, 64, 0, 200, 1.5}, {2, 64, 0, 400, 2}}},
	} {
		if _, _, err := FitLoss(Coefficients{}, x.form, x.points); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, expected %q", err, says)
		}
	}
}

func TestFitContentionFindsItsOwn(t *testing.T) {
	check := near.Count(t)
	_, c, err := Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	var points []bandwidthPoint
	for n := 4; n <= 16; n++ {
		points = append(points, bandwidthPoint{n, c.Bandwidth(n, 1, 0)})
	}
	blank := c
	blank.Alpha1, blank.Beta1 = 0, 0
	got, err := fitBandwidth(blank, points)
	if err != nil || check.OffRel(got.Alpha1, c.Alpha1, 1e-3) || check.OffRel(got.Beta1, c.Beta1, 1e-3) {
		t.Errorf("%v, %v: %v", got.Alpha1, got.Beta1, err)
	}
	if _, err := fitBandwidth(blank, points[:5]); err == nil || !strings.Contains(err.Error(), "0 points at which 142 MB/s") {
		t.Errorf("without contention: %v", err)
	}
	if _, err := fitBandwidth(blank, []bandwidthPoint{{0, 1}}); err == nil {
		t.Error("0 workers")
	}
}

// The tables that the program has inside say what the printed ones say.
func TestFactsAgainstShared(t *testing.T) {
	type run struct {
		Model   string  `col:"model"`
		Workers string  `col:"workers"`
		GPUs    string  `col:"gpus_per_worker"`
		Series  string  `col:"series"`
		Seconds float64 `col:"training_time_s"`
	}
	ours := map[string]string{}
	for _, r := range facts.Read[run]("spotdnn_fig5") {
		ours[fmt.Sprintf("fig5 %s %s%s %s", r.Model, r.Workers, r.GPUs, r.Series)] = fmt.Sprint(r.Seconds)
	}
	type price struct {
		Type     string  `col:"instance_type"`
		Spot     float64 `col:"spot_usd_per_h"`
		OnDemand float64 `col:"on_demand_usd_per_h"`
	}
	for _, r := range facts.Read[price]("spotdnn_table3") {
		ours["table3 "+r.Type] = fmt.Sprint(r.Spot, r.OnDemand)
	}
	theirs := map[string]string{}
	number := func(cell string) float64 { return testutil.Number(t, cell) }
	for _, r := range testutil.Rows(t, "papers/spotdnn/testdata/fig5_training_time.csv") {
		if r["model"] != "resnet110" {
			theirs["fig5 "+r["model"]+" "+r["x"]+" "+r["series"]] = fmt.Sprint(number(r["training_time_s"]))
		}
	}
	for _, r := range testutil.Rows(t, "papers/spotdnn/testdata/table3_instances.csv") {
		theirs["table3 "+r["instance_type"]] = fmt.Sprint(number(r["spot_usd_per_h_2023_01"]), number(r["on_demand_usd_per_h"]))
	}
	for k, v := range theirs {
		if ours[k] != v {
			t.Errorf("%s: %s here, %s there", k, ours[k], v)
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("%d facts here, %d there", len(ours), len(theirs))
	}
}
