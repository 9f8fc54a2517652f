package ownruns

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

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
	p, t, d := run.Progress(), run.Timeline(), run.Dollars()
	s := &say{Name: run.Name, Files: run.Files, Hours: run.Since(end) / 3600, Finished: done, Steps: p.Steps, Redone: p.Redone, StepsRecorded: len(p.Points) > 0, Falls: p.Falls,
		Restarts: p.Restarts, Saves: p.Saves, Interruptions: p.Interruptions, Pools: poolsOf(run, d), Charges: d.Charges,
		UnpricedHours: d.UnpricedH, Notes: run.Notes}
	if !run.Relative {
		began := time.UnixMicro(run.Zero).UTC()
		s.Began = &began
	}
	for _, x := range t.Stalls() {
		s.Stalls++
		s.StallHours += float64(x.To-x.From) / 3600e6
	}
	for a, h := range t.Hours() {
		name := sim.Activity(a).String()
		if sim.Activity(a) == sim.Redone {
			name = "lost" // as in the tables of results
		}
		s.InstanceHours = append(s.InstanceHours, activity{Name: name, Hours: h})
	}
	if d.Charges > 0 {
		s.BilledUSD = &d.BilledUSD
	}
	if d.PricedH > 0 {
		s.PricedUSD = &d.PricedUSD
	}
	return s
}

func poolsOf(run *ownruns.Run, d ownruns.Dollars) []pool {
	var out []pool
	for _, x := range d.ByPool {
		p := pool{Name: x.Name, Hours: x.Hours, USD: x.USD}
		if x.UnpricedH != x.Hours {
			p.Priced = &x.USD
		}
		out = append(out, p)
	}
	for _, h := range run.Holdings() {
		p := &out[slices.IndexFunc(out, func(p pool) bool { return p.Name == h.Pool() })]
		p.Instances++
		if h.Noticed != ownruns.Missing {
			p.Noticed++
		}
		switch h.End {
		case ownruns.Preempted:
			p.Preempted++
		case ownruns.Failed:
			p.Failed++
		case ownruns.Released:
			p.Released++
		case ownruns.Terminated:
			p.Unknown++
		}
		if h.Launched != ownruns.Missing && h.Ready != ownruns.Missing {
			p.boots = append(p.boots, float64(h.Ready-h.Launched)/1e6)
		}
	}
	for i := range out {
		if b := out[i].boots; len(b) > 0 {
			slices.Sort(b)
			m := (b[(len(b)-1)/2] + b[len(b)/2]) / 2
			out[i].BootS = &m
		}
	}
	return out
}

func printRun(w io.Writer, s *say) {
	began, end := "", "did not reach its goal in"
	if s.Began != nil {
		began = ", began " + s.Began.Format("2006-01-02 15:04:05 UTC")
	}
	if s.Finished {
		end = "reached its goal after"
	}
	fmt.Fprintf(w, "%s%s, %s %.2f h\n", s.Name, began, end, s.Hours)
	fmt.Fprintf(w, "%s, %s, %s\n", cli.Count(s.Interruptions, "interruption", "interruptions"), cli.Count(s.Restarts, "restart", "restarts"), cli.Count(s.Saves, "save", "saves"))
	if s.StepsRecorded {
		fmt.Fprintf(w, "%.6g steps done, %.6g lost as training went back %s; %s, %.2f h in all\n\n", s.Steps, s.Redone, cli.Count(s.Falls, "time", "times"),
			cli.Count(s.Stalls, "stall", "stalls"), s.StallHours)
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
		fmt.Fprintf(w, "bill: %s USD in %d charges\n", format.USD(*s.BilledUSD), s.Charges)
	}
	switch {
	case s.PricedUSD != nil && s.UnpricedHours > 1e-9:
		fmt.Fprintf(w, "by prices: %s USD, and %.2f instance-hours without a price\n", format.USD(*s.PricedUSD), s.UnpricedHours)
	case s.PricedUSD != nil:
		fmt.Fprintf(w, "by prices: %s USD\n", format.USD(*s.PricedUSD))
	case s.BilledUSD == nil:
		fmt.Fprintln(w, "dollars: unknown; give a bill or a history of prices as another file")
	}
}

func printActivities(w io.Writer, s *say) {
	all := 0.0
	for _, a := range s.InstanceHours {
		all += a.Hours
	}
	var rows []activity
	for _, a := range s.InstanceHours {
		if share := a.Hours / all; a.Hours > 0 {
			rows = append(rows, activity{a.Name, a.Hours, &share})
		}
	}
	t := table.Of(append(rows, activity{Name: "all", Hours: all}))
	if len(s.Pools) == 0 {
		t.Rename("instance-hours", "hours")
	}
	term.Print(w, t)
	fmt.Fprintln(w)
}
