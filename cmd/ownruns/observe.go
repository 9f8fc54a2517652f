// Package ownruns is the commands on records of runs that really happened: marigram observe, what they say, and
// backtest, simulated runs compared with them.
package ownruns

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// observeFlags say what is read and written.
type observeFlags struct {
	cli.RecordFlags
	Name string `flag:"name" help:"name of the run; by default that of the first file"`
	Out  string `flag:"out" help:"write the run into this <file>"`
	As   string `flag:"as" default:"plain-csv" with:"out" names:"@records" help:"format of --out: {names}"`
	stepFlags
	figure
	cli.Answer
}

// Observe returns the command marigram observe: what the records of a past run say.
func Observe() *cobra.Command {
	var f observeFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "observe FILE...",
		Short: "Read the records of a past run: instances, progress, restarts, dollars; or why its steps are slow",
		Long: `Reads what was recorded of one training run and prints what it shows: the instances that
were held, how training went, what was lost, how the instance-hours were spent, and what
they cost. The files may be of different formats: the events of the fleet, the progress of
the trainer, the bill, and a trace of prices. They are merged into one run.

With --out the run is written as a plain CSV, time,event,instance,type,zone,value, which
marigram backtest reads; with --as in another format, for tests of your own tools.
docs/backtest.md says what the columns mean and how to export each format.

Where steps took longer than 3 times their usual time on as many instances, the rest counts
as a stall: restoring after instances went or the process began again, reconfiguring after
instances came, else waiting.

With --meta the FILE is not the record of a run but of operations in steps, a row an operation of a
worker (Parquet or CSV: dp_rank, stage, rank, step, optype, start_ts, duration, seq_id, mc, mb_id,
gmc). The command says what slow machines, uneven stages and uneven micro-batches cost, by the
what-if analysis of Lin et al. (OSDI 2025): S is the time of a step over that of an ideal job.

` + cli.RecordsHelp(),
		Example: `  marigram observe events.jsonl trace.csv bill.csv.gz prices.json --instance-type p3.2xlarge --out run.csv
  marigram observe sacct.txt --time-zone Europe/Berlin --plot run.svg
  marigram observe run.csv --plot both.svg --simulated out --policy reactive
  marigram observe run.csv --json
  marigram observe trace.parquet --meta job.yaml --plot steps.svg --slow slow.csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}, &f)
}

// check refuses flags that cannot be met, before anything is read.
func (f *observeFlags) check() error {
	switch {
	case !(f.Goal >= 0 && f.Goal <= ownruns.MaxValue):
		return fmt.Errorf("--goal %v, expected steps from 0 to %g", f.Goal, ownruns.MaxValue)
	case f.Plot != "" && canvas.Forms[strings.ToLower(filepath.Ext(f.Plot))] == nil:
		return fmt.Errorf("--plot %s: expected a name that ends in .svg, .png or .pdf", f.Plot)
	}
	return nil
}

func (f *observeFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.Meta != "" {
		return f.runSteps(cmd, args)
	}
	run, err := f.Load(f.Name, args)
	if err != nil {
		return err
	}
	if run.Only(ownruns.Price) {
		return fmt.Errorf("%s: nothing but prices, which say nothing of a run: expected its own records, too, "+
			"such as the events of its machines, the steps of its trainer or its bill",
			strings.Join(args, ", "))
	}
	term.WarnAll(cmd.ErrOrStderr(), run.Notes)
	if err := f.write(cmd.ErrOrStderr(), run); err != nil {
		return err
	}
	said := sayOf(run)
	return f.Give(cmd, said, func(w io.Writer) { printRun(w, said) })
}

// write writes the run and its figure, where that is asked for.
func (f *observeFlags) write(errs io.Writer, run *ownruns.Run) error {
	if f.Out != "" {
		var lost []string
		err := atomicfile.Write(f.Out, func(w io.Writer) (err error) {
			lost, err = formats.ExportRun(f.As, run, w)
			return err
		})
		if err != nil {
			return cli.Failed(err)
		}
		if len(lost) > 0 {
			about, _ := formats.Named(f.As)
			term.Warn(errs, "%s has no place for %s; in general it lacks: %s",
				f.As, strings.Join(lost, ", "), about.Records.Lost)
		}
	}
	return f.draw(run)
}

// say is what a run shows, as JSON.
type say struct {
	Name          string     `json:"name"`
	Files         []string   `json:"files"`
	Began         *time.Time `json:"began"` // null: not recorded
	Hours         float64    `json:"hours"`
	Finished      bool       `json:"finished"`
	Steps         float64    `json:"steps"`
	Redone        float64    `json:"steps_redone"`
	StepsRecorded bool       `json:"steps_recorded"`
	Falls         int        `json:"times_gone_back"`
	Restarts      int        `json:"restarts"`
	Saves         int        `json:"saves"`
	Interruptions int        `json:"interruptions"`
	Stalls        int        `json:"stalls"`
	StallHours    float64    `json:"stall_hours"`
	Pools         []pool     `json:"pools"`
	InstanceHours []activity `json:"instance_hours"`
	Charges       int        `json:"charges"`
	BilledUSD     *float64   `json:"billed_usd"` // null: there is no bill
	PricedUSD     *float64   `json:"priced_usd"` // null: no price is known
	UnpricedHours float64    `json:"unpriced_hours"`
	Notes         []string   `json:"notes"`
}

// pool is the instances of one pool.
type pool struct {
	Name      string   `json:"name" head:"pool"`
	Instances int      `json:"instances" head:"instances"`
	Hours     float64  `json:"hours" head:"hours" format:"%.2f"`
	Noticed   int      `json:"noticed" head:"noticed"`
	Preempted int      `json:"preempted" head:"preempted"`
	Failed    int      `json:"failed" head:"failed"`
	Released  int      `json:"released" head:"released"`
	Unknown   int      `json:"ended_unknown" head:"cause unknown"`
	BootS     *float64 `json:"boot_median_s" head:"boot s (median)" format:"%.1f"` // null: not recorded
	USD       float64  `json:"usd"`
	Priced    *float64 `json:"-" head:"USD by prices" format:"usd"` // USD, if any of its hours has a price
	boots     []float64
}

type activity struct {
	Name  string   `json:"activity" head:"activity"`
	Hours float64  `json:"hours" head:"instance-hours" format:"%.2f"`
	Share *float64 `json:"-" head:"share" format:"percent"`
}

func sayOf(run *ownruns.Run) *say {
	end, done := run.Finish()
	progress := run.Progress()
	dollars := run.Dollars()
	said := &say{
		Name:          run.Name,
		Files:         run.Files,
		Hours:         run.Since(end) / 3600,
		Finished:      done,
		Steps:         progress.Steps,
		Redone:        progress.Redone,
		StepsRecorded: len(progress.Points) > 0,
		Falls:         progress.Falls,
		Restarts:      progress.Restarts,
		Saves:         progress.Saves,
		Interruptions: progress.Interruptions,
		Pools:         poolsOf(run, dollars),
		Charges:       dollars.Charges,
		UnpricedHours: dollars.UnpricedH,
		Notes:         run.Notes,
	}
	if !run.Relative {
		said.Began = new(time.UnixMicro(run.Zero).UTC())
	}
	timeline := run.Timeline()
	for _, stall := range timeline.Stalls() {
		said.Stalls++
		said.StallHours += float64(stall.To-stall.From) / 3600e6
	}
	for number, hours := range timeline.Hours() {
		name := sim.Activity(number).String()
		if sim.Activity(number) == sim.Redone {
			name = "lost" // as in the tables of results
		}
		said.InstanceHours = append(said.InstanceHours, activity{Name: name, Hours: hours})
	}
	if dollars.Charges > 0 {
		said.BilledUSD = &dollars.BilledUSD
	}
	if dollars.PricedH > 0 {
		said.PricedUSD = &dollars.PricedUSD
	}
	return said
}

func poolsOf(run *ownruns.Run, d ownruns.Dollars) []pool {
	var out []pool
	for _, spent := range d.ByPool {
		one := pool{Name: spent.Name, Hours: spent.Hours, USD: spent.USD}
		if spent.UnpricedH != spent.Hours {
			one.Priced = &spent.USD
		}
		out = append(out, one)
	}
	for _, holding := range run.Holdings() {
		one := &out[slices.IndexFunc(out, func(one pool) bool { return one.Name == holding.Pool() })]
		one.Instances++
		if holding.Noticed != ownruns.Missing {
			one.Noticed++
		}
		switch holding.End {
		case ownruns.Preempted:
			one.Preempted++
		case ownruns.Failed:
			one.Failed++
		case ownruns.Released:
			one.Released++
		case ownruns.Terminated:
			one.Unknown++
		}
		if holding.Launched != ownruns.Missing && holding.Ready != ownruns.Missing {
			one.boots = append(one.boots, float64(holding.Ready-holding.Launched)/1e6)
		}
	}
	for i := range out {
		if boots := out[i].boots; len(boots) > 0 {
			slices.Sort(boots)
			out[i].BootS = new((boots[(len(boots)-1)/2] + boots[len(boots)/2]) / 2)
		}
	}
	return out
}

func printRun(w io.Writer, s *say) {
	began := ""
	if s.Began != nil {
		began = ", began " + s.Began.Format("2006-01-02 15:04:05 UTC")
	}
	end := "did not reach its goal in"
	if s.Finished {
		end = "reached its goal after"
	}
	fmt.Fprintf(w, "%s%s, %s %.2f h\n", s.Name, began, end, s.Hours)
	fmt.Fprintf(w, "%s, %s, %s\n", units.Count(s.Interruptions, "interruption", "interruptions"),
		units.Count(s.Restarts, "restart", "restarts"), units.Count(s.Saves, "save", "saves"))
	if s.StepsRecorded {
		fmt.Fprintf(w, "%.6g steps done, %.6g lost as training went back %s; %s, %.2f h in all\n\n",
			s.Steps, s.Redone, units.Count(s.Falls, "time", "times"), units.Count(s.Stalls, "stall", "stalls"),
			s.StallHours)
	} else {
		fmt.Fprintf(w, "no record of steps: instances that are ready count as waiting\n\n")
	}
	if len(s.Pools) == 0 {
		fmt.Fprintf(w, "no record of instances\n\n")
	} else {
		term.Print(w, table.Of(s.Pools))
		fmt.Fprintln(w)
	}
	printActivities(w, s)
	if s.BilledUSD != nil {
		fmt.Fprintf(w, "bill: %s USD in %d charges\n", units.USD(*s.BilledUSD), s.Charges)
	}
	switch {
	case s.PricedUSD != nil && s.UnpricedHours > 1e-9:
		fmt.Fprintf(w, "by prices: %s USD, and %.2f instance-hours without a price\n",
			units.USD(*s.PricedUSD), s.UnpricedHours)
	case s.PricedUSD != nil:
		fmt.Fprintf(w, "by prices: %s USD\n", units.USD(*s.PricedUSD))
	case s.BilledUSD == nil:
		fmt.Fprintln(w, "dollars: unknown; give a bill or a trace of prices as another file")
	}
}

func printActivities(w io.Writer, s *say) {
	all := 0.0
	for _, spent := range s.InstanceHours {
		all += spent.Hours
	}
	var rows []activity
	for _, spent := range s.InstanceHours {
		if share := spent.Hours / all; spent.Hours > 0 {
			rows = append(rows, activity{spent.Name, spent.Hours, &share})
		}
	}
	shown := table.Of(append(rows, activity{Name: "all", Hours: all}))
	if len(s.Pools) == 0 {
		shown.Rename("instance-hours", "hours")
	}
	term.Print(w, shown)
	fmt.Fprintln(w)
}
