package traces

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

// forecastFlags say what is back-tested, and how.
type forecastFlags struct {
	Traces      []string      `flag:"trace" required:"true" help:"<trace> to forecast; may be repeated"`
	Pool        string        `flag:"pool" help:"<name> of the pool to forecast; by default the sum of all pools"`
	Forecasters []string      `flag:"forecaster" complete:"@forecasters" help:"<name> of a forecaster; may be repeated; by default all that are listed"`
	Interval    time.Duration `flag:"interval" default:"1m" help:"length of an interval"`
	Horizon     int           `flag:"horizon" default:"12" min:"1" max:"1000" help:"intervals to forecast, 1 to 1000"`
	Window      int           `flag:"history" default:"12" min:"2" max:"1000" help:"past intervals that a forecaster uses, 2 to 1000"`
	Min         float64       `flag:"min" help:"smallest possible number of machines, for forecasters with guards"`
	Max         float64       `flag:"max" help:"largest possible number of machines, for forecasters with guards; 0: no limit"`
	Out         string        `flag:"out" help:"draw the errors into this <folder>"`
	cli.Answer
}

// Forecast returns the command marigram forecast: forecasters tried on traces.
func Forecast() *cobra.Command {
	var f forecastFlags
	return cli.Writes(cli.WithFlags(&cobra.Command{
		Use:   "forecast --trace TRACE...",
		Short: "Backtest availability forecasters",
		Long: `At each interval of a trace, forecasts the number of machines and compares the
forecast with the record. Reports the mean absolute error and the root mean square
error over the first interval, the first two, and so on. Forecasts are rounded to
whole machines first (half to even), as a policy would do. An asterisk marks the
best forecaster that does not know the future. A trace is a folder in the neutral
form, a file or folder in a format that is recognised without flags (for others use
marigram traces import first), or pulled:NAME.

parcae is Parcae's guarded ARIMA; its published code has --min 8 --max 32.

` + cli.ForecastersHelp(),
		Example: "  marigram forecast --trace pulled:bamboo-aws-p3 --min 8 --max 32 --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}, &f), plots.Files("forecast-*")...)
}

func (f *forecastFlags) run(cmd *cobra.Command) error {
	infos, err := f.check()
	if err != nil {
		return err
	}
	var all []backtest
	for _, path := range f.Traces {
		set, err := cli.LoadTrace(path)
		if err != nil {
			return err
		}
		tested, err := f.backtest(path, set, infos)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if tested.Warning != "" {
			term.Warn(cmd.ErrOrStderr(), "%s: %s", path, tested.Warning)
		}
		all = append(all, *tested)
	}
	if f.Out != "" {
		if err := f.draw(cmd.ErrOrStderr(), all); err != nil {
			return err
		}
	}
	return f.Give(cmd, all, func(w io.Writer) {
		for k := range all {
			all[k].print(w)
		}
	})
}

func (f *forecastFlags) check() ([]forecast.Info, error) {
	if err := cli.CheckGuards(f.Min, f.Max); err != nil {
		return nil, err
	}
	if len(f.Forecasters) == 0 {
		return forecast.List(), nil
	}
	var infos []forecast.Info
	for _, name := range f.Forecasters {
		info, err := forecast.Named(name)
		if err != nil {
			return nil, fmt.Errorf("--forecaster: %w", err)
		}
		infos = append(infos, info)
	}
	return infos, nil
}

func (f *forecastFlags) backtest(path string, set *traces.Set, infos []forecast.Info) (*backtest, error) {
	tested := &backtest{
		Path:      path,
		Trace:     set.Manifest.TraceID,
		Semantics: set.Manifest.Semantics,
		IntervalS: f.Interval.Seconds(),
		History:   f.Window,
		Horizon:   f.Horizon,
	}
	pools, err := cli.CountedPools(set, f.Pool)
	if err != nil {
		return nil, err
	}
	for _, i := range pools {
		tested.Pools = append(tested.Pools, set.Pools[i].Name)
	}
	if len(pools) > 1 && !set.Manifest.Aligned() {
		tested.Warning = "its files do not state their start times: pools are summed as if all started together"
	}
	series, err := describe.Sample(set, f.Interval, pools...)
	if err != nil {
		return nil, err
	}
	tested.Intervals = len(series)
	for _, count := range series {
		if math.IsNaN(count) {
			tested.Unknown++
		}
	}
	setup := forecast.Setup{Window: f.Window, Min: f.Min, Max: f.Max, Truth: series}
	for _, info := range infos {
		errs := forecast.Backtest(info.New(setup), series, f.Window, f.Horizon)
		if len(errs) == 0 {
			return nil, fmt.Errorf("%d intervals of %v, %d of them unknown, expected more than %d known ones in a row",
				tested.Intervals, f.Interval, tested.Unknown, f.Window+1)
		}
		tested.Forecasters = append(tested.Forecasters, backtested{info.Name, info.Oracle, errs})
	}
	tested.Best = tested.best()
	return tested, nil
}

// draw saves a figure of each trace, without the oracle.
func (f *forecastFlags) draw(notes io.Writer, all []backtest) error {
	var figures []plots.Named
	for k := range all {
		var lines []plots.ForecastError
		for _, one := range all[k].Forecasters {
			if one.Oracle {
				continue
			}
			line := plots.ForecastError{Name: one.Name}
			for _, e := range one.Errors {
				line.Errors = append(line.Errors, e.Absolute)
			}
			lines = append(lines, line)
		}
		figure, err := plots.ForecastErrors(all[k].Trace, all[k].about(), lines)
		if errors.Is(err, plots.ErrNothing) {
			return fmt.Errorf("%s: errors over one interval are not drawn, expected a longer --horizon and another "+
				"forecaster than the oracle", all[k].Trace)
		}
		if err != nil {
			return err
		}
		figures = append(figures, plots.Named{Name: "forecast-" + all[k].Trace, Figure: figure})
	}
	paths, err := plots.SaveFigures(f.Out, figures)
	for _, path := range paths {
		fmt.Fprintln(notes, "drawn:", path)
	}
	return cli.Failed(err)
}

// backtest is what is known of the forecasts of one trace.
type backtest struct {
	Path        string       `json:"path"` // as it was given
	Trace       string       `json:"trace"`
	Semantics   string       `json:"semantics"` // of the counts; see the neutral form
	Pools       []string     `json:"pools"`     // added up
	IntervalS   float64      `json:"interval_s"`
	History     int          `json:"history"`
	Horizon     int          `json:"horizon"`
	Intervals   int          `json:"intervals"` // samples of the trace
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
		name := ""
		smallest := math.Inf(1)
		for _, f := range b.Forecasters {
			if !f.Oracle && f.Errors[k].Absolute < smallest {
				name = f.Name
				smallest = f.Errors[k].Absolute
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
	if len(b.Pools) > 1 {
		pools = fmt.Sprintf("sum of %d pools", len(b.Pools))
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
	fmt.Fprintf(w, "%s: %s\n"+
		"mean absolute error (instances) over the next 1, 2, ... intervals, from the last %d; *: best\n",
		b.Path, b.about(), b.History)
	longest := len(b.Best)
	ahead := slices.DeleteFunc([]int{1, 2, 4, 6, 8, 12, 24, 48, 96, 192, 384, 768},
		func(k int) bool { return k >= longest })
	ahead = append(ahead, longest)
	header := []string{"forecaster"}
	windows := []any{"windows"}
	for _, k := range ahead {
		header = append(header, fmt.Sprintf("%d|%%.3f", k))
		windows = append(windows, fmt.Sprint(b.Forecasters[0].Errors[k-1].Windows))
	}
	shown := table.New(append(header, fmt.Sprintf("rms %d|%%.3f", longest))...)
	for _, f := range b.Forecasters {
		name := f.Name
		if f.Oracle {
			name += " (knows the future)"
		}
		cells := []any{name}
		for _, k := range ahead {
			cells = append(cells, f.Errors[k-1].Absolute)
		}
		shown.Row(append(cells, f.Errors[longest-1].RMS)...)
	}
	for i, k := range ahead {
		absolute := func(f *backtested) float64 { return f.Errors[k-1].Absolute }
		table.MarkBest(shown, 1+i, b.Forecasters, unlessOracle(absolute))
	}
	rms := func(f *backtested) float64 { return f.Errors[longest-1].RMS }
	table.MarkBest(shown, 1+len(ahead), b.Forecasters, unlessOracle(rms))
	shown.Row(windows...)
	term.Print(w, shown)
	fmt.Fprintln(w)
}
