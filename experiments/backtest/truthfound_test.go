package backtest_test

import (
	"context"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/traces/ownruns"
)

// Found is how often a fit finds the truth again, and how often predictions hold.
type Found struct {
	Fits       int
	Parameters []Parameter
	Finish     backtest.Score // over all runs of all fits
	USD        backtest.Score
}

// Parameter is one number that was to be found.
type Parameter struct {
	Name    string
	Truth   float64
	Mean    float64 // of the fitted values
	Fits    int     // in which it was fitted
	Inside  int     // in which its interval of 90 % has the truth
	Default int     // in which a default stood in its place
}

// Through is what happens to a run between its end and the fit: it is exported, and read again.
type Through func(*ownruns.Run) (*ownruns.Run, error)

// Find makes fits of n runs each, and counts. The runs of fit k have the seeds from k*runs on.
func (t *Truth) Find(ctx context.Context, fits, runs int, through Through, o backtest.Options) (*Found, error) {
	f := &Found{Fits: fits}
	var judged []backtest.Judged
	for k := range fits {
		var list []backtest.Observed
		for i := range runs {
			r, err := t.Run(uint64(k*runs + i))
			if err == nil && through != nil {
				r, err = through(r)
			}
			if err != nil {
				return nil, err
			}
			list = append(list, backtest.From(r))
		}
		o.Seed = uint64(k)
		v, err := backtest.Judge(ctx, list, o)
		if err != nil {
			return nil, err
		}
		judged = append(judged, v.Runs...)
		f.count(t, v)
	}
	f.Finish, f.USD = backtest.Scores(judged)
	return f, nil
}

// count compares the fitted numbers of one fit with the truth. Of speeds, those of the full size and of one instance
// fewer are compared. The runs train as soon as one instance is ready, so that the start of the gang is the boot.
func (f *Found) count(t *Truth, v *backtest.Verdict) {
	truth := map[string]float64{"boot": t.Boot.Median, "gang start": t.Boot.Median, "restart": t.Restart.Median, "save": t.Save.Median, "spread": t.Spread}
	for _, r := range v.FitRows() {
		name, want := r.What, truth[r.What]
		if r.What == "speed" {
			if int(r.Workers) < t.Workers-1 {
				continue
			}
			name, want = "speed of all", t.Speed(int(r.Workers))
			if int(r.Workers) < t.Workers {
				name = "speed of one fewer"
			}
		}
		if want == 0 {
			continue
		}
		i := slices.IndexFunc(f.Parameters, func(p Parameter) bool { return p.Name == name })
		if i < 0 {
			i = len(f.Parameters)
			f.Parameters = append(f.Parameters, Parameter{Name: name, Truth: want})
		}
		p := &f.Parameters[i]
		if r.N == 0 {
			p.Default++
			continue
		}
		p.Mean += (r.Value - p.Mean) / float64(p.Fits+1)
		if p.Fits++; r.Low90 <= want && want <= r.High90 {
			p.Inside++
		}
	}
}

// Inside returns the share of all fitted numbers whose intervals have the truth.
func (f *Found) Inside() float64 {
	inside, all := 0, 0
	for _, p := range f.Parameters {
		inside, all = inside+p.Inside, all+p.Fits
	}
	return float64(inside) / math.Max(float64(all), 1)
}
