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
	table, err := csvtext.Read(name, r, "pipelines", "stages", "samples", "step_s")
	if err != nil {
		return out, err
	}
	for i := range table.Rows {
		cells := table.Cells(i)
		row := LayoutSpeed{Pipelines: cells.Count("pipelines", 1, maxInstances)}
		row.Stages = cells.Count("stages", 1, maxInstances/max(row.Pipelines, 1))
		samples := cells.Number("samples", 1, 1e12)
		row.SamplesPerS = samples / cells.Number("step_s", 1e-6, 1e6)
		if cells.Err != nil {
			return out, cells.Err
		}
		if i > 0 && samples != out.Samples {
			return out, table.Errorf(i, "samples", "%v, expected %v as in the first row", samples, out.Samples)
		}
		if slices.ContainsFunc(out.Layouts, row.same) {
			return out, table.Errorf(i, "pipelines", "%d pipelines of %d stages are given twice", row.Pipelines,
				row.Stages)
		}
		out.Samples = samples
		out.Layouts = append(out.Layouts, row)
	}
	return out, nil
}

// Fill adds the layouts that are missing between two numbers of pipelines of one
// depth, their samples per second by linear interpolation, and returns them: they
// were not measured, which the caller has to say.
func (t *Throughput) Fill() []LayoutSpeed {
	sorted := slices.Clone(t.Layouts)
	slices.SortFunc(sorted, func(below, above LayoutSpeed) int {
		return cmp.Or(below.Stages-above.Stages, below.Pipelines-above.Pipelines)
	})
	var filled []LayoutSpeed
	for i, above := range sorted[1:] {
		below := sorted[i]
		for n := below.Pipelines + 1; below.Stages == above.Stages && n < above.Pipelines; n++ {
			share := float64(n-below.Pipelines) / float64(above.Pipelines-below.Pipelines)
			filled = append(filled, LayoutSpeed{n, below.Stages,
				below.SamplesPerS + share*(above.SamplesPerS-below.SamplesPerS)})
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
	for _, published := range publishedThroughputs() {
		if published.name == name {
			return published.Throughput, nil
		}
	}
	return Throughput{}, registry.Unknown("published throughput", name, PublishedThroughputs())
}

// PublishedThroughputs returns what PublishedThroughput knows, sorted.
func PublishedThroughputs() []string {
	var names []string
	for _, published := range publishedThroughputs() {
		names = append(names, published.name)
	}
	slices.Sort(names)
	return names
}

type namedThroughput struct {
	name string
	Throughput
}

func publishedThroughputs() (all []namedThroughput) {
	for _, network := range facts.Read[BambooNetwork]("bamboo_networks") {
		all = append(all, namedThroughput{"bamboo-" + strings.ToLower(network.Model),
			Throughput{network.Samples, network.Layouts()}})
	}
	for _, table := range OobleckTables() {
		name := table[0].System + "-" + strings.ToLower(table[0].Model) + "-a40"
		all = append(all, namedThroughput{name, Throughput{table[0].Samples, table.Layouts()}})
	}
	all = append(all, layoutThroughputs()...)
	speeds := facts.Read[parcaeSpeed]("liveput_speeds")
	for _, row := range facts.Read[parcaeRow]("liveput_models") {
		table := Throughput{Samples: float64(row.Batch)}
		for _, speed := range speeds {
			if speed.Model == row.Model {
				table.Layouts = append(table.Layouts, LayoutSpeed{speed.Pipelines, speed.Stages, speed.SamplesPerS})
			}
		}
		all = append(all, namedThroughput{"parcae-" + row.Model, table})
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
	for _, one := range facts.Read[row]("layout_throughputs") {
		name := "sailor-" + strings.ToLower(one.Network+"-"+one.GPU) + "x4"
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, namedThroughput{name, Throughput{Samples: one.Samples}})
		}
		last := &all[len(all)-1]
		last.Layouts = append(last.Layouts, LayoutSpeed{one.Pipelines, one.Stages, one.Samples / one.Step})
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
	from := 0
	for i := 1; i <= len(rows); i++ {
		if i == len(rows) || rows[i].System != rows[from].System || rows[i].Model != rows[from].Model {
			all = append(all, rows[from:i:i])
			from = i
		}
	}
	return all
}
