package calibrate

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
)

// Throughput is what was measured of a network on pipelines: the time of a step
// of so many samples, by layout.
type Throughput struct {
	Samples float64 // of a step
	Layouts []LayoutSpeed
}

// OpenThroughput reads a throughput file; see ReadThroughput.
func OpenThroughput(path string) (Throughput, error) { return openTable(path, ReadThroughput) }

// ReadThroughput reads a CSV table with the columns pipelines, stages, samples
// and step_s, a row a layout: a step of so many samples, the same in all rows, on
// so many pipelines of so many stages takes step_s seconds. name is for its
// errors, which give line, column, value and what was expected.
func ReadThroughput(name string, r io.Reader) (Throughput, error) {
	var out Throughput
	t, err := readTable(name, r, "pipelines", "stages", "samples", "step_s")
	if err != nil {
		return out, err
	}
	for i := range t.rows {
		row, samples, err := throughputRow(t, i)
		if err != nil {
			return out, err
		}
		if i > 0 && samples != out.Samples {
			return out, t.errorf(i, "samples", "%v, expected %v as in the first row", samples, out.Samples)
		}
		for _, other := range out.Layouts {
			if other.Pipelines == row.Pipelines && other.Stages == row.Stages {
				return out, t.errorf(i, "pipelines", "%d pipelines of %d stages are there twice", row.Pipelines, row.Stages)
			}
		}
		out.Samples, out.Layouts = samples, append(out.Layouts, row)
	}
	return out, nil
}

func throughputRow(t *table, i int) (row LayoutSpeed, samples float64, err error) {
	if row.Pipelines, err = t.count(i, "pipelines", 1, maxInstances); err != nil {
		return row, 0, err
	}
	if row.Stages, err = t.count(i, "stages", 1, maxInstances/row.Pipelines); err != nil {
		return row, 0, err
	}
	if samples, err = t.number(i, "samples", 1, 1e12); err != nil {
		return row, 0, err
	}
	step, err := t.number(i, "step_s", 1e-6, 1e6)
	row.SamplesPerS = samples / step
	return row, samples, err
}

// Fill adds the layouts that are missing between two numbers of pipelines of one
// depth, their samples per second by linear interpolation, and returns them: they
// were not measured, which whoever uses them has to say.
func (t *Throughput) Fill() []LayoutSpeed {
	sorted := slices.Clone(t.Layouts)
	slices.SortFunc(sorted, func(a, b LayoutSpeed) int {
		if a.Stages != b.Stages {
			return a.Stages - b.Stages
		}
		return a.Pipelines - b.Pipelines
	})
	var filled []LayoutSpeed
	for i, b := range sorted[1:] {
		a := sorted[i]
		for n := a.Pipelines + 1; a.Stages == b.Stages && n < b.Pipelines; n++ {
			share := float64(n-a.Pipelines) / float64(b.Pipelines-a.Pipelines)
			filled = append(filled, LayoutSpeed{n, a.Stages, a.SamplesPerS + share*(b.SamplesPerS-a.SamplesPerS)})
		}
	}
	t.Layouts = append(t.Layouts, filled...)
	return filled
}

// PublishedThroughput returns a throughput that comes with marigram: a table of
// facts with its source, for instance "bamboo-bert".
func PublishedThroughput(name string) (Throughput, error) {
	file := "profiles/" + name + throughputSuffix
	data, err := profiles.ReadFile(file)
	if err != nil {
		return Throughput{}, fmt.Errorf("no published throughput %q; there are %s", name, strings.Join(PublishedThroughputs(), ", "))
	}
	return ReadThroughput(file, bytes.NewReader(data))
}

const throughputSuffix = ".throughput.csv"

// PublishedThroughputs returns what PublishedThroughput knows, sorted.
func PublishedThroughputs() []string {
	entries, _ := profiles.ReadDir("profiles")
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), throughputSuffix); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
