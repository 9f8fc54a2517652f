package throughput

import (
	"io"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Kind is a kind of job.
type Kind struct {
	Name  string
	Tasks int
	// Needs is what each task takes, by the family of the instance; that of "" is for families that are not listed.
	Needs map[string]sim.Resources
	Speed float64 // iterations/s alone, where all its tasks run
	Times sim.TaskTimes
}

// On returns what a task takes of an instance of a family; false: it does not run there.
func (k *Kind) On(family string) (sim.Resources, bool) {
	if d, listed := k.Needs[family]; listed {
		return d, true
	}
	d, listed := k.Needs[""]
	return d, listed
}

// Kinds returns the kinds of a table that comes with marigram, or of a file: CSV with the columns kind, tasks, gpus, vcpus, memory_gb
// and iterations_per_s, and, if wanted, family (a row a family; empty for all others), launch_s, build_s, init_s, stop_s and
// save_s (sim.TaskTimes). Kinds are in the order of their first rows. Errors name file, line and column.
func Kinds(name string, file func(string) string) ([]Kind, error) {
	if name == Eva {
		return evaKinds(), nil
	}
	x, err := csvtext.Open(file(name), readKinds)
	if err != nil {
		return nil, errorOf("kinds", name, err)
	}
	return x, nil
}

func readKinds(name string, r io.Reader) (kinds []Kind, err error) {
	t, err := csvtext.Read(name, r, "kind", "tasks", "gpus", "vcpus", "memory_gb", "iterations_per_s")
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i := range t.Rows {
		c := cells{t: t, row: i}
		tasks, err := t.Count(i, "tasks", 1, 1<<10)
		if err != nil {
			return nil, err
		}
		needs, family := c.resources(), c.text("family")
		x := Kind{Name: t.Text(i, "kind"), Tasks: tasks, Needs: map[string]sim.Resources{}, Speed: c.number("iterations_per_s", 1e12),
			Times: sim.TaskTimes{Launch: c.span("launch_s"), Build: c.span("build_s"), Init: c.span("init_s"), Stop: c.span("stop_s"), Save: c.span("save_s")}}
		k, known := at[x.Name]
		switch {
		case c.err != nil:
			return nil, c.err
		case x.Name == "" || x.Speed == 0:
			return nil, t.Errorf(i, "kind", "%q at %v iterations/s, expected a name and a speed above 0", x.Name, x.Speed)
		case !known:
			k = len(kinds)
			x.Times.Image = k
			at[x.Name], kinds = k, append(kinds, x)
		case kinds[k].Tasks != x.Tasks || kinds[k].Speed != x.Speed:
			return nil, t.Errorf(i, "kind", "%q has other tasks or another speed than in the row before", x.Name)
		}
		if _, twice := kinds[k].Needs[family]; twice {
			return nil, t.Errorf(i, "kind", "%q on family %q is given twice", x.Name, family)
		}
		kinds[k].Needs[family] = needs
	}
	return kinds, nil
}

// evaKind is a row of the table of facts.
type evaKind struct {
	Name      string  `col:"workload"`
	Tasks     int     `col:"tasks"`
	P3GPUs    float64 `col:"p3_gpus"`
	P3CPUs    float64 `col:"p3_vcpus"`
	P3Memory  float64 `col:"p3_memory_gb"`
	C7iGPUs   float64 `col:"c7i_gpus"`
	C7iCPUs   float64 `col:"c7i_vcpus"`
	C7iMemory float64 `col:"c7i_memory_gb"`
	R7iGPUs   float64 `col:"r7i_gpus"`
	R7iCPUs   float64 `col:"r7i_vcpus"`
	R7iMemory float64 `col:"r7i_memory_gb"`
	Speed     float64 `col:"iterations_per_s"`
	Init      int     `col:"init_s"`
	Fetch     int     `col:"fetch_s"`
	Build     int     `col:"build_s"`
	Kill      int     `col:"kill_s"`
	Upload    int     `col:"upload_s"`
}

func evaKinds() (kinds []Kind) {
	for k, r := range facts.Read[evaKind]("sharing_workloads") {
		kinds = append(kinds, Kind{Name: r.Name, Tasks: r.Tasks, Speed: r.Speed,
			Needs: map[string]sim.Resources{"p3": {r.P3GPUs, r.P3CPUs, r.P3Memory}, "c7i": {r.C7iGPUs, r.C7iCPUs, r.C7iMemory},
				"r7i": {r.R7iGPUs, r.R7iCPUs, r.R7iMemory}},
			Times: sim.TaskTimes{Launch: units.Seconds(float64(r.Fetch)), Build: units.Seconds(float64(r.Build)), Image: k, Init: units.Seconds(float64(r.Init)),
				Stop: units.Seconds(float64(r.Kill)), Save: units.Seconds(float64(r.Upload))}})
	}
	return kinds
}
