package calibrate

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// material returns the rows of a table of ../shared by column, or skips.
func material(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("../../shared", path))
	if err != nil {
		t.Skip("needs ../shared beside the checkout: ", err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, r := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Abs(b) }

// The four step-time fits, on a grid: least squares to the digits, support
// vectors within 2 %, for scikit-learn's solution is as exact as its tolerance.
func TestStepTimesAgainstScikitLearn(t *testing.T) {
	rows := material(t, "oracles/transient/cmdare_step_time_predictions.csv")
	kinds := map[string]string{"linear": "ols_linear_s", "quadratic": "ols_quadratic_s", "svr-poly": "svr_poly2_s", "svr-rbf": "svr_rbf_s"}
	for _, gpu := range []string{"K80", "P100"} {
		x, y, err := StepTimes(gpu)
		if err != nil {
			t.Fatal(err)
		}
		for kind, column := range kinds {
			fit, err := Regression(kind, 100, .01)
			if err != nil {
				t.Fatal(err)
			}
			model, err := fit(x, y)
			if err != nil {
				t.Fatal(err)
			}
			tolerance, worst, n := 1e-7, 0., 0
			if kind[0] == 's' {
				tolerance = .02
			}
			for _, r := range rows {
				if r["gpu"] != gpu {
					continue
				}
				got, want := model.Predict([]float64{number(t, r["norm_model_complexity"])}), number(t, r[column])
				n, worst = n+1, max(worst, math.Abs(got/want-1))
				if !near(got, want, tolerance) {
					t.Errorf("%s %s at %s: %v, want %v", gpu, kind, r["norm_model_complexity"], got, want)
				}
			}
			if n != 21 {
				t.Errorf("%d points of %s", n, gpu)
			}
			t.Logf("%s %s: largest relative difference %.2g", gpu, kind, worst)
		}
	}
}

// Our fits of the twelve curves are at least as good as the material's, in the
// measure that ours minimise, and find its capacity where the curve bends.
func TestCapacityAgainstMaterial(t *testing.T) {
	fits := material(t, "oracles/transient/cmdare_ps_capacity_fit.csv")
	measured := material(t, "facts/transient/cmdare_cluster_speed_summary.csv")
	for _, r := range fits {
		single := number(t, r["v1_measured"])
		var points []SpeedPoint
		for _, m := range measured {
			if m["gpu"] == r["gpu"] && m["n_ps"] == r["n_ps"] && m["model"] == r["model"] {
				points = append(points, SpeedPoint{Sum: single * number(t, m["n_workers"]), Speed: number(t, m["author_mean_steps_per_s"]), Runs: 1})
			}
		}
		law, err := FitPSCapacity(points)
		if err != nil || len(points) != 8 {
			t.Fatalf("%d points: %v", len(points), err)
		}
		theirs := PSCapacity{number(t, r["fit_v1"]) / single, number(t, r["fit_cap"]), number(t, r["fit_p"])}
		if ours, bound := law.misfit(points, 1e6), theirs.misfit(points, 1e6); ours > bound*1.0001 {
			t.Errorf("%s %s PS %s: squares %v, the material's fit has %v", r["gpu"], r["n_ps"], r["model"], ours, bound)
		}
		if number(t, r["eff_at_8"]) < .7 && !near(law.Cap, theirs.Cap, .06) {
			t.Errorf("%s %s PS %s: capacity %v, want about %v", r["gpu"], r["n_ps"], r["model"], law.Cap, theirs.Cap)
		}
		t.Logf("%s %s PS %-24s cap %8.2f (%8.2f)  p %5.2f (%5.2f)  gain %.3f", r["gpu"], r["n_ps"], r["model"], law.Cap, theirs.Cap, law.P, theirs.P, law.Gain)
	}
}

// The facts that come with marigram are the material's.
func TestTransientFacts(t *testing.T) {
	var want []float64
	for _, r := range material(t, "facts/transient/cmdare_step_time_regression.csv") {
		if r["gpu"] == "P100" {
			want = append(want, number(t, r["norm_model_complexity"]), number(t, r["step_time_s"]))
		}
	}
	x, y, err := StepTimes("P100")
	if err != nil || 2*len(y) != len(want) {
		t.Fatalf("%d step times, %v", len(y), err)
	}
	for i := range y {
		if math.Abs(x[i][0]-want[2*i]) > 1e-9 || y[i] != want[2*i+1] {
			t.Fatalf("row %d: %v %v, want %v %v", i, x[i][0], y[i], want[2*i], want[2*i+1])
		}
	}
}
