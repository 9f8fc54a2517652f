package pipeline

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/registry"
)

// Throughput is what was measured of a network on pipelines: the time of a step
// of n samples, by layout.
type Throughput struct {
	Samples float64 // of a step
	Layouts []LayoutSpeed
}

// OpenThroughput reads a throughput file; see ReadThroughput.
func OpenThroughput(path string) (Throughput, error) { return csvtext.Open(path, ReadThroughput) }

// ReadThroughput reads a CSV table with the columns pipelines, stages, samples
// and step_s, a row a layout: a step of n samples, the same in all rows, on
// n pipelines of m stages takes step_s seconds. name is for its
// errors, which give line, column, value and what was expected.
func ReadThroughput(name string, r io.Reader) (Throughput, error) {
	var out Throughput
	t, err := csvtext.Read(name, r, "pipelines", "stages", "samples", "step_s")
	if err != nil {
		return out, err
	}
	for i := range t.Rows {
		c := t.Cells(i)
		row := LayoutSpeed{Pipelines: c.Count("pipelines", 1, maxInstances)}
		row.Stages = c.Count("stages", 1, maxInstances/max(row.Pipelines, 1))
		samples := c.Number("samples", 1, 1e12)
		row.SamplesPerS = samples / c.Number("step_s", 1e-6, 1e6)
		if c.Err != nil {
			return out, c.Err
		}
		if i > 0 && samples != out.Samples {
			return out, t.Errorf(i, "samples", "%v, expected %v as in the first row", samples, out.Samples)
		}
		if slices.ContainsFunc(out.Layouts, row.same) {
			return out, t.Errorf(i, "pipelines", "%d pipelines of %d stages are given twice", row.Pipelines, row.Stages)
		}
		out.Samples, out.Layouts = samples, append(out.Layouts, row)
	}
	return out, nil
}

// Fill adds the layouts that are missing between two numbers of pipelines of one
// depth, their samples per second by linear interpolation, and returns them: they
// were not measured, which the caller has to say.
func (t *Throughput) Fill() []LayoutSpeed {
	sorted := slices.Clone(t.Layouts)
	slices.SortFunc(sorted, func(a, b LayoutSpeed) int { return cmp.Or(a.Stages-b.Stages, a.Pipelines-b.Pipelines) })
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

// PublishedThroughput returns a throughput that comes with marigram, of the facts
// that the claims use: "bamboo-bert" and the other networks of Bamboo's simulator
// (BambooModel), and what Oobleck's artifact measured on A40s (OobleckTables) as
// "oobleck-bert-large-a40", "varuna-bert-large-a40", "bamboo-bert-large-a40" and so
// on, the networks of Parcae's simulator (LoadParcae) as "parcae-bert" and so on, and
// what calibrate/layout computes of Sailor's profiles, for instances of four GPUs, as
// "sailor-gpt-neo-2.7-v100-16x4" and so on.
func PublishedThroughput(name string) (Throughput, error) {
	for _, t := range publishedThroughputs() {
		if t.name == name {
			return t.Throughput, nil
		}
	}
	return Throughput{}, registry.Unknown("published throughput", name, PublishedThroughputs())
}

// PublishedThroughputs returns what PublishedThroughput knows, sorted.
func PublishedThroughputs() []string {
	var names []string
	for _, t := range publishedThroughputs() {
		names = append(names, t.name)
	}
	slices.Sort(names)
	return names
}

type namedThroughput struct {
	name string
	Throughput
}

func publishedThroughputs() (all []namedThroughput) {
	for _, n := range facts.Read[BambooNetwork]("bamboo_networks") {
		all = append(all, namedThroughput{"bamboo-" + strings.ToLower(n.Model), Throughput{n.Samples, n.Layouts()}})
	}
	for _, t := range OobleckTables() {
		name := t[0].System + "-" + strings.ToLower(t[0].Model) + "-a40"
		all = append(all, namedThroughput{name, Throughput{t[0].Samples, t.Layouts()}})
	}
	all = append(all, layoutThroughputs()...)
	speeds := facts.Read[parcaeSpeed]("liveput_speeds")
	for _, r := range facts.Read[parcaeRow]("liveput_models") {
		t := Throughput{Samples: float64(r.Batch)}
		for _, s := range speeds {
			if s.Model == r.Model {
				t.Layouts = append(t.Layouts, LayoutSpeed{s.Pipelines, s.Stages, s.SamplesPerS})
			}
		}
		all = append(all, namedThroughput{"parcae-" + r.Model, t})
	}
	return all
}

// layoutThroughputs returns what calibrate/layout computed of Sailor's networks and GPU types.
func layoutThroughputs() (all []namedThroughput) {
	type row struct {
		Network   string  `col:"network"`
		GPU       string  `col:"gpu"`
		Pipelines int     `col:"pipelines"`
		Stages    int     `col:"stages"`
		Samples   float64 `col:"samples"`
		Step      float64 `col:"step_s"`
	}
	for _, r := range facts.Read[row]("layout_throughputs") {
		name := "sailor-" + strings.ToLower(r.Network+"-"+r.GPU) + "x4"
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, namedThroughput{name, Throughput{Samples: r.Samples}})
		}
		t := &all[len(all)-1]
		t.Layouts = append(t.Layouts, LayoutSpeed{r.Pipelines, r.Stages, r.Samples / r.Step})
	}
	return all
}

// OobleckTables returns what Oobleck's artifact measured of systems and networks:
// "BERT-Large", "GPT-2", "GPT-3-Medium", "GPT-3-2.7b" and "GPT-3-6.7b", of which
// Bamboo could train the first two only.
func OobleckTables() (all []NodeTable) {
	rows := facts.Read[NodeRow]("oobleck_nodes")
	slices.SortStableFunc(rows, func(a, b NodeRow) int {
		return cmp.Or(cmp.Compare(a.System, b.System), cmp.Compare(a.Model, b.Model), b.Nodes-a.Nodes)
	})
	for from, i := 0, 1; i <= len(rows); i++ {
		if i == len(rows) || rows[i].System != rows[from].System || rows[i].Model != rows[from].Model {
			all = append(all, rows[from:i:i])
			from = i
		}
	}
	return all
}
