package traces

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/policies/forecast"
)

// backtest is what is known of the forecasts of one history.
type backtest struct {
	Path        string       `json:"path"` // as it was given
	Trace       string       `json:"trace"`
	Semantics   string       `json:"semantics"` // of the counts; see the neutral form
	Pools       []string     `json:"pools"`     // added up
	IntervalS   float64      `json:"interval_s"`
	History     int          `json:"history"`
	Horizon     int          `json:"horizon"`
	Intervals   int          `json:"intervals"` // samples of the history
	Unknown     int          `json:"unknown"`   // of them, not known
	Forecasters []backtested `json:"forecasters"`
	Best        []string     `json:"best"` // by intervals looked ahead
	Warning     string       `json:"warning,omitempty"`
}

type backtested struct {
	Name   string            `json:"name"`
	Oracle bool              `json:"oracle"`
	Errors []forecast.Errors `json:"errors"`
}

// best names, for each look-ahead, the forecaster with the least mean absolute
// error, the first of equal ones, that does not know the future; empty if there
// is none.
func (b *backtest) best() []string {
	names := []string{}
	for k := range b.Forecasters[0].Errors {
		name, least := "", math.Inf(1)
		for _, f := range b.Forecasters {
			if e := f.Errors[k].Absolute; !f.Oracle && e < least {
				name, least = f.Name, e
			}
		}
		names = append(names, name)
	}
	return names
}

// unlessOracle is of, but NaN for those that know the future.
func unlessOracle(of func(*backtested) float64) func(*backtested) float64 {
	return func(f *backtested) float64 {
		if f.Oracle {
			return math.NaN()
		}
		return of(f)
	}
}

// about says in one line what was forecast.
func (b *backtest) about() string {
	pools := b.Pools[0]
	if n := len(b.Pools); n > 1 {
		pools = fmt.Sprintf("sum of %d pools", n)
	}
	unknown := ""
	if b.Unknown > 0 {
		unknown = fmt.Sprintf(", %d unknown", b.Unknown)
	}
	return fmt.Sprintf("%s; %s, %d intervals of %v%s", cli.Meaning(b.Semantics), pools,
		b.Intervals, time.Duration(b.IntervalS*float64(time.Second)), unknown)
}

// print writes a table: errors over some look-aheads, and of the longest the
// root of the mean square.
func (b *backtest) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\nmean absolute error (instances) over the next 1, 2, ... intervals, from the last %d; *: best\n",
		b.Path, b.about(), b.History)
	longest := len(b.Best)
	ahead := slices.DeleteFunc([]int{1, 2, 4, 6, 8, 12, 24, 48, 96, 192, 384, 768},
		func(k int) bool { return k >= longest })
	ahead = append(ahead, longest)
	header, windows := []string{"forecaster"}, []any{"windows"}
	for _, k := range ahead {
		header = append(header, fmt.Sprintf("%d|%%.3f", k))
		windows = append(windows, fmt.Sprint(b.Forecasters[0].Errors[k-1].Windows))
	}
	t := table.New(append(header, fmt.Sprintf("rms %d|%%.3f", longest))...)
	for _, f := range b.Forecasters {
		name := f.Name
		if f.Oracle {
			name += " (knows the future)"
		}
		cells := []any{name}
		for _, k := range ahead {
			cells = append(cells, f.Errors[k-1].Absolute)
		}
		t.Row(append(cells, f.Errors[longest-1].RMS)...)
	}
	for i, k := range ahead {
		table.MarkBest(t, 1+i, b.Forecasters, unlessOracle(func(f *backtested) float64 { return f.Errors[k-1].Absolute }))
	}
	table.MarkBest(t, 1+len(ahead), b.Forecasters,
		unlessOracle(func(f *backtested) float64 { return f.Errors[longest-1].RMS }))
	t.Row(windows...)
	term.Print(w, t)
	fmt.Fprintln(w)
}
