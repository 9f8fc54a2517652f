package ownruns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/table"
)

// whatIf is a spec whose policies are simulated in place of what was done.
type whatIf struct {
	Set  []string `flag:"set,s" help:"value of a parameter of the spec, <path=value>"`
	Used string   `flag:"used" help:"<name> of the spec's policy that was used"`
	spec string   // its file; empty: none
}

// take takes the spec off the arguments, if the last is one.
func (f *whatIf) take(args []string) ([]string, error) {
	last := args[len(args)-1]
	if !strings.HasSuffix(last, ".yaml") && !strings.HasSuffix(last, ".yml") {
		if f.Used != "" || f.Set != nil {
			return nil, errors.New("--used and --set belong to a spec, and none is given: " +
				"expected a .yaml file as the last argument")
		}
		return args, nil
	}
	f.spec = last
	if len(args) == 1 {
		return nil, fmt.Errorf("%s is a spec, expected a run before it", last)
	}
	return args[:len(args)-1], nil
}

// open opens the spec with its traces from an instant on.
func (f *whatIf) open(start time.Time) (*spec.Spec, error) {
	settings, err := cli.Settings(f.Set)
	if err != nil {
		return nil, err
	}
	opened, err := spec.Open(f.spec, settings...)
	if err != nil || start.IsZero() || len(opened.Market.Traces) == 0 {
		return opened, valid(opened, err)
	}
	for i := range opened.Market.Traces {
		settings = append(settings, spec.Setting{Path: fmt.Sprintf("market.traces.%d.from", i),
			Value: start.Format(time.RFC3339Nano)})
	}
	opened, err = spec.Open(f.spec, settings...)
	return opened, valid(opened, err)
}

func valid(s *spec.Spec, err error) error {
	if err != nil {
		return err
	}
	return s.Validate()
}

// simulate simulates the runs under the policies of the spec; nil without one.
func (f *whatIf) simulate(ctx context.Context, v *backtest.Verdict, runs []backtest.Observed,
	o backtest.Options) ([]backtest.WhatIf, error) {
	if f.spec == "" {
		return nil, nil
	}
	rows, err := v.WhatIf(ctx, runs, o, f.open)
	if err == nil && f.Used != "" && f.used(rows) == nil {
		err = fmt.Errorf("--used %s: %s has no such policy", f.Used, f.spec)
	}
	return rows, err
}

// used returns the row of the policy that was used, nil if there is none.
func (f *whatIf) used(rows []backtest.WhatIf) *backtest.WhatIf {
	i := slices.IndexFunc(rows, func(r backtest.WhatIf) bool { return f.Used != "" && r.Policy == f.Used })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// print prints what the runs would have taken.
func (f *whatIf) print(w io.Writer, rows []backtest.WhatIf) {
	if rows == nil {
		return
	}
	fmt.Fprintln(w)
	if row := f.used(rows); row != nil {
		fmt.Fprintf(w, "under %s, the policy that was used, on the market of the spec: "+
			"median error of the finish %s, of the dollars %s\n", f.Used, share(row.FinishError), share(row.USDError))
	}
	shown := table.New("what if", "finished", "mean finish s|%.0f", "band", "mean USD|usd", "band")
	for i := range rows {
		row := &rows[i]
		name := "as it was"
		finish := ""
		usd := ""
		if i > 0 {
			name = row.Policy
			finish = span(row.LowS, row.HighS, "%.0f")
			usd = span(row.LowUSD, row.HighUSD, "usd")
		}
		shown.Row(name, fmt.Sprintf("%d/%d", row.Finished, row.Runs), row.FinishS, finish, row.USD, usd)
	}
	term.Print(w, shown)
}

func span(low, high *float64, form string) string {
	if low == nil || high == nil {
		return ""
	}
	return table.Format(form, *low) + " to " + table.Format(form, *high)
}

func share(x *float64) string {
	if x == nil {
		return "not known"
	}
	return table.Format("share", *x)
}
