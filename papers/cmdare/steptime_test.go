package cmdare

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// The four step-time fits, on a grid: least squares to the digits, support
// vectors within 2 %, for scikit-learn's solution is as exact as its tolerance.
func TestStepTimesAgainstScikitLearn(t *testing.T) {
	check := near.Count(t)
	rows := testutil.Rows(t, "papers/cmdare/testdata/cmdare_step_time_predictions.csv")
	kinds := map[string]string{"linear": "ols_linear_s", "quadratic": "ols_quadratic_s", "svr-poly": "svr_poly2_s", "svr-rbf": "svr_rbf_s"}
	for _, gpu := range []string{"K80", "P100"} {
		x, y, err := stepTimes(gpu)
		if err != nil {
			t.Fatal(err)
		}
		for kind, column := range kinds {
			fit, err := regression(kind, 100, .01)
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
				got, want := model.Predict([]float64{testutil.Number(t, r["norm_model_complexity"])}), testutil.Number(t, r[column])
				n, worst = n+1, max(worst, math.Abs(got/want-1))
				if check.Off(got, want, tolerance*math.Abs(want)) {
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

// The facts that come with marigram are the material's.
func TestTransientFacts(t *testing.T) {
	check := near.Count(t)
	var want []float64
	for _, r := range testutil.Rows(t, "papers/cmdare/testdata/cmdare_step_time_regression.csv") {
		if r["gpu"] == "P100" {
			want = append(want, testutil.Number(t, r["norm_model_complexity"]), testutil.Number(t, r["step_time_s"]))
		}
	}
	x, y, err := stepTimes("P100")
	if err != nil || 2*len(y) != len(want) {
		t.Fatalf("%d step times, %v", len(y), err)
	}
	for i := range y {
		if check.Off(x[i][0], want[2*i], 1e-9) || y[i] != want[2*i+1] {
			t.Fatalf("row %d: %v %v, want %v %v", i, x[i][0], y[i], want[2*i], want[2*i+1])
		}
	}
}

func TestRegressionRefuses(t *testing.T) {
	for _, bad := range []struct {
		kind       string
		c, epsilon float64
	}{{"cubic", 1, 1}, {"svr-rbf", 0, .1}, {"svr-rbf", 1, -.1}, {"svr-rbf", math.NaN(), .1}} {
		if _, err := regression(bad.kind, bad.c, bad.epsilon); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}
