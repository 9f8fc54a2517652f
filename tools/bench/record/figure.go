package main

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/plots"
)

// drawTo draws what each benchmark takes beside the first record of it, over the
// records of one kind of machine in their order.
func drawTo(path string, list []record) error {
	half := len(headlines) / 2
	var panels []plots.CurvePanel
	for i, part := range [][]headline{headlines[:half], headlines[half:]} {
		p := plots.CurvePanel{Title: []string{"events and runs", "tables, jobs, plans, bounds"}[i], X: "record", Y: "ratio to the first record", Level: 1}
		for _, h := range part {
			if c := ratios(h.name, list); len(c.X) > 1 {
				p.Curves = append(p.Curves, c)
			}
		}
		if len(p.Curves) > 0 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return fmt.Errorf("%s: two records of this kind of machine make a line, there is one at most: run it with -append", path)
	}
	figure, err := plots.Curves("Processor time of ten benchmarks", list[0].Machine, panels)
	if err != nil {
		return err
	}
	svg, err := figure.SVG()
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, svg)
}

// ratios is the line of a benchmark: number of the record, which is that of the commit
// in the table, and ratio to the first.
func ratios(benchmark string, list []record) plots.Curve {
	c := plots.Curve{Name: benchmark}
	var commits []string
	first := 0.0
	for _, r := range list {
		if !slices.Contains(commits, r.Commit) {
			commits = append(commits, r.Commit)
		}
		if r.Benchmark != benchmark {
			continue
		}
		if first == 0 {
			first = r.Median
		}
		c.X, c.Y = append(c.X, float64(len(commits))), append(c.Y, r.Median/first)
	}
	return c
}
