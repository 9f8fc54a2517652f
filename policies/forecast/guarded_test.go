package forecast

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// window is one forecast of Parcae's code, with what it has on the way.
type window struct {
	Interval  int
	Trace     []float64 `json:"history"`
	Cleaned   []float64
	Constant  bool
	Mu        float64   `json:"arima_const_mean_of_diff"`
	AR        float64   `json:"arima_ar1"`
	Raw       []float64 `json:"forecast_raw"`
	Rounded   []float64
	Converged bool
	In        float64   `json:"in_penalty_this_call"`
	Out       float64   `json:"out_penalty_this_call"`
	Lambda    *float64  `json:"poisson_lambda"`
	N         []float64 `json:"predicted_n"`
	StickyIn  float64   `json:"sticky_in_penalty_after"`
	StickyOut float64   `json:"sticky_out_penalty_after"`
	StickyN   []float64 `json:"predicted_n_sticky_penalties"`
}

// p3 returns the windows of Parcae's p3 trace, and the trace: its first count,
// the rest of the first window, and the ends of all windows.
func p3(t testing.TB) (windows []window, counts []float64) {
	data := testutil.Data(t, "papers/parcae/testdata/oracle_predictor_H12_I12.json", 671)
	var file struct{ Cases []window }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	first := file.Cases[0].Trace
	counts = append([]float64{18}, first[:len(first)-1]...) // 18 machines at the start, one more a minute later
	for _, w := range file.Cases {
		counts = append(counts, w.Trace[len(w.Trace)-1])
	}
	return file.Cases, counts
}

// share is a penalty as the code writes it.
func share(p penalty) float64 { return p.of(1) }

// All 671 windows of the p3 trace, with everything in between, as Parcae's code
// computes them; its random removals are off.
func TestParcaeWindows(t *testing.T) {
	windows, counts := p3(t)
	fresh := &Parcae{Window: 12, Growth: 3, Min: 8, Max: 32}
	sticky := &Parcae{Window: 12, Growth: 3, Min: 8, Max: 32, Sticky: true}
	out := make([]float64, 12)
	if len(windows) != 671 || len(counts) != 683 {
		t.Fatalf("%d windows, %d counts", len(windows), len(counts))
	}
	check := near.Count(t)
	fits, drawn := 0, 0
	for _, w := range windows {
		trace := counts[:w.Interval+1]
		if !slices.Equal(trace[len(trace)-12:], w.Trace) {
			t.Fatalf("interval %d: the trace has %v, the window %v", w.Interval, trace[len(trace)-12:], w.Trace)
		}
		fresh.Forecast(out, trace)
		if !slices.Equal(fresh.clean, w.Cleaned) || share(fresh.arrivals) != w.In || share(fresh.departures) != w.Out ||
			!slices.Equal(out, w.N) {
			t.Errorf("interval %d: clean %v, penalties %v and %v, forecast %v, want %+v", w.Interval, fresh.clean,
				share(fresh.arrivals), share(fresh.departures), out, w)
		}
		if !w.Constant {
			fits++
			checkFit(t, check, fresh, &w)
		}
		fresh.guard(out[:copy(out, fresh.raw)])
		drawn += checkLambda(t, check, &w, out, fresh.clean, counts[w.Interval-12:w.Interval+1])
		sticky.Forecast(out, trace)
		if share(sticky.arrivals) != w.StickyIn || share(sticky.departures) != w.StickyOut || !slices.Equal(out, w.StickyN) {
			t.Errorf("interval %d, sticky: penalties %v and %v, forecast %v, want %+v", w.Interval, share(sticky.arrivals),
				share(sticky.departures), out, w)
		}
	}
	if fits != 567 || drawn != 109 {
		t.Errorf("%d fits, %d windows with removals drawn, want 567 and 109", fits, drawn)
	}
}

// checkFit compares a fit with that of statsmodels; four of them did not
// converge there.
func checkFit(t *testing.T, check *near.Counter, p *Parcae, w *window) {
	t.Helper()
	m := &p.model
	if w.Converged && (check.Off(m.kappa[0], w.AR, 1e-4) || check.Off(m.model.mu+m.mean, w.Mu, 1e-4)) {
		t.Errorf("interval %d: ar %v, mean %v, want %v and %v", w.Interval, m.kappa[0], m.model.mu+m.mean, w.AR, w.Mu)
	}
	for k, v := range p.raw {
		if math.RoundToEven(v) != w.Rounded[k] || w.Converged && check.Off(v, w.Raw[k], 3e-5) {
			t.Errorf("interval %d+%d: %v, want %v", w.Interval, k+1, v, w.Raw[k])
		}
	}
}

// checkLambda compares the mean of the removals that the code would have drawn,
// and returns 1 if it would.
func checkLambda(t *testing.T, check *near.Counter, w *window, guarded, clean, x []float64) int {
	t.Helper()
	draws := isConstant(guarded) && !isConstant(clean)
	if draws != (w.Lambda != nil) {
		t.Errorf("interval %d: removals drawn: %v, want %v", w.Interval, draws, w.Lambda)
		return 0
	}
	if !draws {
		return 0
	}
	if got := lossRate(x); check.Off(got, *w.Lambda, 1e-12) {
		t.Errorf("interval %d: removals of mean %v, want %v", w.Interval, got, *w.Lambda)
	}
	return 1
}
