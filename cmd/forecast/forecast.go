// Package forecast is the command marigram forecast: forecasters tried on histories.
package forecast

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

// forecastFlags say what is back-tested, and how.
type forecastFlags struct {
	traces      []string
	pool        string
	forecasters []string
	interval    time.Duration
	horizon     int
	setup       forecast.Setup
	out         string
	json        bool
}

// Command returns the command.
func Command() *cobra.Command {
	var f forecastFlags
	cmd := &cobra.Command{
		Use:   "forecast --trace TRACE...",
		Short: "Backtest availability forecasters",
		Long: `At each interval of a history, forecasts the number of machines and compares the
forecast with the record. Reports the mean absolute error and the root mean square
error over the first interval, the first two, and so on. Forecasts are rounded to
whole machines first (half to even), as a policy would do. An asterisk marks the
best forecaster that does not know the future. A trace is a folder in the neutral
form, a file or folder in a format that is recognised without flags (for others use
marigram traces import first), or pulled:NAME.

parcae is Parcae's guarded ARIMA; its published code has --least 8 --most 32.

` + cli.ForecastersHelp(),
		Example: "  marigram forecast --trace pulled:bamboo-aws-p3 --least 8 --most 32 --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.traces, "trace", nil, "`trace` to forecast; may be repeated")
	flags.StringVar(&f.pool, "pool", "", "`name` of the pool to forecast; by default the sum of all pools")
	flags.StringArrayVar(&f.forecasters, "forecaster", nil,
		"`name` of a forecaster; may be repeated; by default all that are listed")
	flags.DurationVar(&f.interval, "interval", time.Minute, "length of an interval")
	flags.IntVar(&f.horizon, "horizon", 12, "intervals to forecast, 1 to 1000")
	flags.IntVar(&f.setup.Window, "history", 12, "past intervals that a forecaster uses, 2 to 1000")
	flags.Float64Var(&f.setup.Least, "least", 0, "smallest possible number of machines, for forecasters with guards")
	flags.Float64Var(&f.setup.Most, "most", 0, "largest possible number of machines, for forecasters with guards; 0: no limit")
	flags.StringVar(&f.out, "out", "", "draw the errors into this `folder`")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	cli.Must(cmd.MarkFlagRequired("trace"))
	cli.Must(cmd.RegisterFlagCompletionFunc("forecaster", cli.CompleteForecasters))
	return cli.Writes(cmd, plots.Files("forecast-*")...)
}

func (f *forecastFlags) run(cmd *cobra.Command) error {
	infos, err := f.check()
	if err != nil {
		return err
	}
	var all []backtest
	for _, path := range f.traces {
		set, err := cli.LoadTrace(path)
		if err != nil {
			return err
		}
		b, err := f.backtest(path, set, infos)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if b.Warning != "" {
			term.Warn(cmd.ErrOrStderr(), "%s: %s", path, b.Warning)
		}
		all = append(all, *b)
	}
	if f.out != "" {
		if err := f.draw(cmd.ErrOrStderr(), all); err != nil {
			return err
		}
	}
	if f.json {
		return cli.WriteJSON(cmd.OutOrStdout(), all)
	}
	for k := range all {
		if err := all[k].print(cmd.OutOrStdout()); err != nil {
			return cli.Failed(err)
		}
	}
	return nil
}

func (f *forecastFlags) check() ([]forecast.Info, error) {
	for _, x := range []struct {
		flag    string
		v, from int
	}{{"horizon", f.horizon, 1}, {"history", f.setup.Window, 2}} {
		if x.v < x.from || x.v > 1000 {
			return nil, fmt.Errorf("--%s %d, expected %d to 1000", x.flag, x.v, x.from)
		}
	}
	if s := f.setup; !(s.Least >= 0 && s.Most >= 0 && (s.Most == 0 || s.Most >= s.Least)) || math.IsInf(s.Least, 0) {
		return nil, fmt.Errorf("--least %v --most %v, expected 0 or more, and most 0 or at least least", s.Least, s.Most)
	}
	if len(f.forecasters) == 0 {
		return forecast.List(), nil
	}
	var infos []forecast.Info
	for _, name := range f.forecasters {
		info, err := forecast.Named(name)
		if err != nil {
			return nil, fmt.Errorf("--forecaster: %w", err)
		}
		infos = append(infos, info)
	}
	return infos, nil
}

func (f *forecastFlags) backtest(path string, set *traces.Set, infos []forecast.Info) (*backtest, error) {
	b := &backtest{Path: path, Trace: set.Manifest.TraceID, Semantics: set.Manifest.Semantics,
		IntervalS: f.interval.Seconds(), History: f.setup.Window, Horizon: f.horizon}
	pools, err := cli.CountedPools(set, f.pool)
	if err != nil {
		return nil, err
	}
	for _, i := range pools {
		b.Pools = append(b.Pools, set.Pools[i].Name)
	}
	if len(pools) > 1 && !set.Manifest.Aligned() {
		b.Warning = "its files do not state their start times: pools are summed as if all started together"
	}
	series, err := describe.Sample(set, f.interval, pools...)
	if err != nil {
		return nil, err
	}
	b.Intervals = len(series)
	for _, v := range series {
		if math.IsNaN(v) {
			b.Unknown++
		}
	}
	setup := f.setup
	setup.Truth = series
	for _, info := range infos {
		errs := forecast.Backtest(info.New(setup), series, f.setup.Window, f.horizon)
		if len(errs) == 0 {
			return nil, fmt.Errorf("%d intervals of %v, %d of them unknown, expected more than %d known ones in a row",
				b.Intervals, f.interval, b.Unknown, f.setup.Window+1)
		}
		b.Forecasters = append(b.Forecasters, backtested{info.Name, info.Oracle, errs})
	}
	b.Best = b.best()
	return b, nil
}

// draw saves a figure of each history, without the oracle.
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
	paths, err := plots.SaveFigures(f.out, figures)
	for _, path := range paths {
		fmt.Fprintln(notes, "drawn:", path)
	}
	return cli.Failed(err)
}
