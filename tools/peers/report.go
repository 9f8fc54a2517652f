package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/marigram/marigram/internal/stats"
)

// report prints the table and the goals, and reports whether no goal is missed.
func report(w io.Writer, entries []*entry) bool {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "load\tengine\tversion\tcpu-ns/event [min-max]\tx ours\tgoal")
	met := true
	var ours *entry
	for _, e := range entries {
		if ours == nil || e.load != ours.load {
			ours = e
		}
		times, ratio, verdict := e.row(ours)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", e.load, e.engine, e.version, times, ratio, verdict)
		met = met && !e.misses(ours)
	}
	t.Flush()
	for _, e := range entries {
		if e.absent != "" {
			fmt.Fprintf(w, "%s, %s: not run: %s\n", e.load, e.engine, e.absent)
		}
	}
	return met
}

// row returns what a measured entry's line says.
func (e *entry) row(ours *entry) (times, ratio, verdict string) {
	if len(e.ns) == 0 {
		return "-", "-", e.verdict(ours)
	}
	times = fmt.Sprintf("%.1f [%.1f-%.1f]", stats.Median(e.ns), slices.Min(e.ns), slices.Max(e.ns))
	return times, fmt.Sprintf("%.1f", e.ratio(ours)), e.verdict(ours)
}

// ratio returns how many times the median of ours e's is.
func (e *entry) ratio(ours *entry) float64 { return stats.Median(e.ns) / stats.Median(ours.ns) }

// misses reports whether e was measured and its goal missed.
func (e *entry) misses(ours *entry) bool {
	return e.goal > 0 && len(e.ns) > 0 && e.ratio(ours) < e.goal
}

func (e *entry) verdict(ours *entry) string {
	switch {
	case e.goal == 0:
		return ""
	case len(e.ns) == 0:
		return fmt.Sprintf(">= %g: open", e.goal)
	case e.misses(ours):
		return fmt.Sprintf(">= %g: MISSED", e.goal)
	}
	return fmt.Sprintf(">= %g: met", e.goal)
}
