package backtest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/format"
)

// specFlags are the spec of a what-if.
type specFlags struct {
	name string
	set  []string
}

func (f *specFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.set, "set", "s", nil, "value of a parameter of the spec, `path=value`")
}

// take takes the spec off the arguments, if the last is one.
func (f *specFlags) take(args []string, used string) ([]string, error) {
	last := args[len(args)-1]
	if !strings.HasSuffix(last, ".yaml") && !strings.HasSuffix(last, ".yml") {
		if used != "" || f.set != nil {
			return nil, fmt.Errorf("--used and --set belong to a spec, and none is given: expected a .yaml file as the last argument")
		}
		return args, nil
	}
	f.name = last
	if len(args) == 1 {
		return nil, fmt.Errorf("%s is a spec, expected a run before it", last)
	}
	return args[:len(args)-1], nil
}

// open opens the spec with its histories from an instant on.
func (f *specFlags) open(start time.Time) (*spec.Spec, error) {
	var settings []spec.Setting
	for _, text := range f.set {
		x, err := spec.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("--set %w", err)
		}
		settings = append(settings, x)
	}
	s, err := spec.Open(f.name, settings...)
	if err != nil || start.IsZero() || len(s.Market.Histories) == 0 {
		return s, valid(s, err)
	}
	for i := range s.Market.Histories {
		settings = append(settings, spec.Setting{Path: fmt.Sprintf("market.histories.%d.from", i), Value: start.Format(time.RFC3339Nano)})
	}
	s, err = spec.Open(f.name, settings...)
	return s, valid(s, err)
}

func valid(s *spec.Spec, err error) error {
	if err != nil {
		return err
	}
	return s.Validate()
}

// whatIf simulates the runs under the policies of the spec; nil without one.
func (f *specFlags) whatIf(ctx context.Context, v *backtest.Verdict, runs []backtest.Observed, o backtest.Options, used string) ([]backtest.WhatIf, error) {
	if f.name == "" {
		return nil, nil
	}
	rows, err := v.WhatIf(ctx, runs, o, f.open)
	if err == nil && used != "" && usedRow(rows, used) == nil {
		err = fmt.Errorf("--used %s: %s has no such policy", used, f.name)
	}
	return rows, err
}

// usedRow returns the row of the policy that was used, nil if there is none.
func usedRow(rows []backtest.WhatIf, used string) *backtest.WhatIf {
	i := slices.IndexFunc(rows, func(r backtest.WhatIf) bool { return used != "" && r.Policy == used })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// printWhatIf prints what the runs would have taken.
func printWhatIf(w io.Writer, rows []backtest.WhatIf, used string) error {
	if rows == nil {
		return nil
	}
	fmt.Fprintln(w)
	if r := usedRow(rows, used); r != nil {
		fmt.Fprintf(w, "under %s, the policy that was used, on the market of the spec: median error of the finish %s, of the dollars %s\n", used, share(r.FinishError), share(r.USDError))
	}
	t := term.NewTable("what if", "finished", "mean finish s", "band", "mean USD", "band")
	for i := range rows {
		r := &rows[i]
		name, finish, usd := r.Policy, span(r.LowS, r.HighS, seconds), span(r.LowUSD, r.HighUSD, format.USD)
		if i == 0 {
			name, finish, usd = "as it was", "", ""
		}
		t.Row(name, fmt.Sprintf("%d/%d", r.Finished, r.Runs), text(r.FinishS, seconds), finish, text(r.USD, format.USD), usd)
	}
	return t.Print(w)
}

func seconds(x float64) string { return fmt.Sprintf("%.0f", x) }

func text(x *float64, as func(float64) string) string {
	if x == nil {
		return ""
	}
	return as(*x)
}

func span(low, high *float64, as func(float64) string) string {
	if low == nil || high == nil {
		return ""
	}
	return as(*low) + " to " + as(*high)
}

func share(x *float64) string {
	if x == nil {
		return "not known"
	}
	return format.Percent(*x)
}
