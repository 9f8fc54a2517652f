package throughput

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Type is a type of instance.
type Type struct {
	Name   string
	Family string // by which kinds of job say what they need; may be empty
	GPU    string // model of GPU; may be empty
	Full   sim.Resources
	USD    float64       // per hour on demand
	Order  time.Duration // from the request on demand until it is paid
	Boot   time.Duration // from then until tasks can be launched
}

const (
	maxInstanceGPUs = 1 << 10
	maxCPUs         = 1 << 16
	maxGB           = 1 << 20
	maxUSD          = 1e5
	maxSeconds      = 86400
)

// Eva is the name of the tables of Eva.
const Eva = "eva"

// Types returns the types of a table that comes with marigram, or of a file: CSV with the columns type, gpus, vcpus, memory_gb and
// usd_per_h, and, if wanted, family, gpu, order_s and boot_s. Errors name file, line and column.
func Types(name string, file func(string) string) ([]Type, error) {
	if name == Eva {
		return evaTypes(), nil
	}
	x, err := csvtext.Open(file(name), readTypes)
	if err != nil {
		return nil, errorOf("types", name, err)
	}
	return x, nil
}

func readTypes(name string, r io.Reader) (types []Type, err error) {
	t, err := csvtext.Read(name, r, "type", "gpus", "vcpus", "memory_gb", "usd_per_h")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range t.Rows {
		c := cells{t.Cells(i)}
		x := Type{Name: c.Text("type"), Family: c.Text("family"), GPU: c.Text("gpu"), Full: c.resources(), USD: c.Number("usd_per_h", 0, maxUSD),
			Order: c.span("order_s"), Boot: c.span("boot_s")}
		if c.Err != nil {
			return nil, c.Err
		}
		if x.Name == "" || seen[x.Name] {
			return nil, t.Errorf(i, "type", "%q, expected the name of a type, each once", x.Name)
		}
		if x.Full == (sim.Resources{}) {
			return nil, t.Errorf(i, "gpus", "no GPUs, cores or memory, expected some of what tasks share")
		}
		seen[x.Name] = true
		types = append(types, x)
	}
	return types, nil
}

// evaType is a row of the table of facts.
type evaType struct {
	Name        string  `col:"type"`
	Family      string  `col:"family"`
	GPUs        float64 `col:"gpus"`
	CPUs        float64 `col:"vcpus"`
	Memory      float64 `col:"memory_gb"`
	USD         float64 `col:"usd_per_h"`
	Instantiate int     `col:"instantiate_s"`
	RunWorker   int     `col:"run_worker_s"`
	Register    int     `col:"register_s"`
}

func evaTypes() (types []Type) {
	for _, r := range facts.Read[evaType]("sharing_types") {
		gpu := ""
		if r.GPUs > 0 {
			gpu = "v100"
		}
		types = append(types, Type{Name: r.Name, Family: r.Family, GPU: gpu, Full: sim.Resources{r.GPUs, r.CPUs, r.Memory}, USD: r.USD,
			Order: units.Seconds(float64(r.Instantiate)), Boot: units.Seconds(float64(r.RunWorker + r.Register))})
	}
	return types
}

// cells reads a row.
type cells struct{ *csvtext.Cells }

// span reads seconds, 0 where there is no column.
func (c cells) span(column string) time.Duration {
	if !c.Has(column) {
		return 0
	}
	return time.Duration(c.Number(column, 0, maxSeconds) * float64(time.Second))
}

func (c cells) resources() sim.Resources {
	return sim.Resources{c.Number("gpus", 0, maxInstanceGPUs), c.Number("vcpus", 0, maxCPUs), c.Number("memory_gb", 0, maxGB)}
}

// FindType returns a type by its name, nil if there is none.
func FindType(types []Type, name string) *Type {
	if i := slices.IndexFunc(types, func(t Type) bool { return t.Name == name }); i >= 0 {
		return &types[i]
	}
	return nil
}

// errorOf says of a file that a name is not that of a table either.
func errorOf(what, name string, err error) error {
	return fmt.Errorf("%w; %s %q: expected a file, or the name of a table of marigram's", err, what, name)
}

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
		c := cells{t.Cells(i)}
		tasks := c.Count("tasks", 1, 1<<10)
		needs, family := c.resources(), c.Text("family")
		x := Kind{Name: c.Text("kind"), Tasks: tasks, Needs: map[string]sim.Resources{}, Speed: c.Number("iterations_per_s", 0, 1e12),
			Times: sim.TaskTimes{Launch: c.span("launch_s"), Build: c.span("build_s"), Init: c.span("init_s"), Stop: c.span("stop_s"), Save: c.span("save_s")}}
		k, known := at[x.Name]
		switch {
		case c.Err != nil:
			return nil, c.Err
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
