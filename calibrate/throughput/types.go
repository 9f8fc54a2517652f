package throughput

import (
	"fmt"
	"io"
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
		c := cells{t: t, row: i}
		x := Type{Name: t.Text(i, "type"), Family: c.text("family"), GPU: c.text("gpu"), Full: c.resources(), USD: c.number("usd_per_h", maxUSD),
			Order: c.span("order_s"), Boot: c.span("boot_s")}
		if c.err != nil {
			return nil, c.err
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

// cells reads a row, and keeps the first error.
type cells struct {
	t   *csvtext.Table
	row int
	err error
}

// has reports whether there is a column.
func (c *cells) has(column string) bool {
	for _, h := range c.t.Header {
		if h == column {
			return true
		}
	}
	return false
}

func (c *cells) text(column string) string {
	if !c.has(column) {
		return ""
	}
	return c.t.Text(c.row, column)
}

func (c *cells) number(column string, largest float64) float64 {
	if !c.has(column) || c.err != nil {
		return 0
	}
	x, err := c.t.Number(c.row, column, 0, largest)
	c.err = err
	return x
}

func (c *cells) span(column string) time.Duration {
	return time.Duration(c.number(column, maxSeconds) * float64(time.Second))
}

func (c *cells) resources() sim.Resources {
	return sim.Resources{c.number("gpus", maxInstanceGPUs), c.number("vcpus", maxCPUs), c.number("memory_gb", maxGB)}
}

// FindType returns a type by its name, nil if there is none.
func FindType(types []Type, name string) *Type {
	for i := range types {
		if types[i].Name == name {
			return &types[i]
		}
	}
	return nil
}

// errorOf says of a file that a name is not that of a table either.
func errorOf(what, name string, err error) error {
	return fmt.Errorf("%w; %s %q: expected a file, or the name of a table of marigram's", err, what, name)
}
