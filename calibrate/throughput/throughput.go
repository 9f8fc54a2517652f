// Package throughput has tables of measured speeds of jobs on numbers of GPUs of several models: what schedulers of
// shared clusters know of a job before it runs. Where several jobs share rented instances, a table says what an
// instance has, what the tasks of a job need, and how much tasks slow one another; those of Eva (EuroSys 2025) come
// with marigram.
package throughput

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
)

// Table is the speeds of kinds of job. Its methods are safe for concurrent use.
type Table struct {
	GPUs  []string // models of GPU in lower case, sorted
	Kinds []string // in the order of the source

	rows   map[row][]float64      // steps/s by model of GPU
	placed map[string][]Placement // by kind, in the order of the source
}

// Placement is how fast a kind of job is where its GPUs are spread over servers in one way.
type Placement struct {
	Servers []int     // how many GPUs it has on each, the most first
	Speeds  []float64 // steps/s by model of GPU, as Table.Speeds
}

// Placements returns what the table says of a kind of job on GPUs that are spread over servers; a kind without rows of
// its own has those of *. It must not be changed.
func (t *Table) Placements(kind string) []Placement {
	if !slices.Contains(t.Kinds, kind) {
		kind = anyText
	}
	return t.placed[kind]
}

// row is a kind of job on a number of GPUs.
type row struct {
	kind string
	gpus int
}

// Speeds returns the steps a second, summed over its GPUs, that a kind of job makes on a
// number of GPUs of each model: in the order of Table.GPUs, 0 where it does not run. nil:
// the table has no such row. It must not be changed.
func (t *Table) Speeds(kind string, gpus int) []float64 {
	speeds, by := t.find(kind, gpus)
	if by == 1 || speeds == nil {
		return speeds
	}
	all := make([]float64, len(speeds))
	for i, x := range speeds {
		all[i] = x * by
	}
	return all
}

// Speed returns one of Speeds; 0 where the table does not say.
func (t *Table) Speed(kind, gpu string, gpus int) float64 {
	at, known := slices.BinarySearch(t.GPUs, gpu)
	speeds, by := t.find(kind, gpus)
	if !known || speeds == nil {
		return 0
	}
	return speeds[at] * by
}

// Between returns the speed of a kind of job on a number of GPUs of a model, as Speed: where there is no row for the
// number, on the line between the rows of the next smaller and the next larger one, and else by the row *, of any
// number (perfect says so). It is not known beyond the rows. A kind without rows of its own has those of *.
func (t *Table) Between(kind, gpu string, gpus int) (speed float64, perfect, known bool) {
	at, is := slices.BinarySearch(t.GPUs, gpu)
	if !slices.Contains(t.Kinds, kind) {
		kind = anyText
	}
	below := t.nearest(kind, gpus, -1)
	above := t.nearest(kind, gpus, 1)
	ofOne := t.rows[row{kind, anyNumber}]
	switch {
	case below == 0 || above == 0:
		if ofOne == nil || !is {
			return 0, false, ofOne != nil
		}
		return ofOne[at] * float64(gpus), true, true
	case !is:
		return 0, false, true
	}
	low := t.rows[row{kind, below}][at]
	high := t.rows[row{kind, above}][at]
	if below == above || low == 0 || high == 0 {
		return min(low, high), false, true
	}
	return low + (high-low)*float64(gpus-below)/float64(above-below), false, true
}

// nearest returns the number of GPUs of the row of a kind that is next to a number: the same, else below it (a side of
// -1) or above it; 0: there is none.
func (t *Table) nearest(kind string, gpus, side int) int {
	best := 0
	for of := range t.rows {
		distance := (of.gpus - gpus) * side
		if of.kind == kind && of.gpus != anyNumber && distance >= 0 && (best == 0 || distance < (best-gpus)*side) {
			best = of.gpus
		}
	}
	return best
}

// FallsBack reports whether the speeds of a kind on a number of GPUs are those of the row *
// though the table names kinds.
func (t *Table) FallsBack(kind string, gpus int) bool {
	if len(t.Kinds) == 0 || t.rows[row{kind, gpus}] != nil || t.rows[row{kind, anyNumber}] != nil {
		return false
	}
	speeds, _ := t.find(kind, gpus)
	return speeds != nil
}

// gavelRow is a row of the table of facts.
type gavelRow struct {
	Kind         string  `col:"kind"`
	GPUs         int     `col:"gpus"`
	K80          float64 `col:"k80"`
	P100         float64 `col:"p100"`
	V100         float64 `col:"v100"`
	PhysicalK80  float64 `col:"physical_k80"`
	PhysicalP100 float64 `col:"physical_p100"`
	PhysicalV100 float64 `col:"physical_v100"`
}

// Gavel returns the speeds that Gavel (OSDI 2020) simulates with.
var Gavel = sync.OnceValue(func() *Table {
	return gavelTable(func(r *gavelRow) []float64 { return []float64{r.K80, r.P100, r.V100} })
})

// GavelPhysical returns the speeds that Gavel's authors measured for their experiment on a
// real cluster.
var GavelPhysical = sync.OnceValue(func() *Table {
	return gavelTable(func(r *gavelRow) []float64 { return []float64{r.PhysicalK80, r.PhysicalP100, r.PhysicalV100} })
})

func gavelTable(speeds func(*gavelRow) []float64) *Table {
	t := &Table{GPUs: []string{"k80", "p100", "v100"}, rows: map[row][]float64{}}
	for _, r := range facts.Read[gavelRow]("throughput_speeds") {
		if !slices.Contains(t.Kinds, r.Kind) {
			t.Kinds = append(t.Kinds, r.Kind)
		}
		t.rows[row{r.Kind, r.GPUs}] = speeds(&r)
	}
	return t
}

// find returns the row for a kind and a number of GPUs, and by what its speeds are to be multiplied;
// nil: there is none.
func (t *Table) find(kind string, gpus int) (speeds []float64, by float64) {
	for _, k := range []string{kind, anyText} {
		if x := t.rows[row{k, gpus}]; x != nil {
			return x, 1
		}
		if x := t.rows[row{k, anyNumber}]; x != nil {
			return x, float64(gpus)
		}
	}
	return nil, 0
}

const (
	anyText   = "*"
	anyNumber = 0 // of GPUs: speeds are those of one
	maxGPUs   = 1 << 20
	maxSpeed  = 1e12 // steps/s
)

// Open reads the table at path, see Read.
func Open(path string) (*Table, error) { return csvtext.Open(path, Read) }

// Read reads a table of speeds: CSV with the columns kind and gpus, and one for each model of GPU,
// whose cells are the steps a second that a job of the kind makes on n GPUs of the model, summed over
// them; 0: it does not run there. As kind, * stands for every kind without rows of its own; as gpus, * stands for every
// number without a row, and the speeds are those of one GPU; 4+2 stands for 4 GPUs on one server and 2 on another, in
// any order. A number without a row of its own is as fast as on the fewest servers that rows of it have. Errors name
// the file, line and column.
func Read(name string, r io.Reader) (*Table, error) {
	in, err := csvtext.Read(name, r, "kind", "gpus")
	if err != nil {
		return nil, err
	}
	t := &Table{rows: map[row][]float64{}, placed: map[string][]Placement{}}
	columns, gpus, err := models(in, "kind", "gpus")
	if err != nil {
		return nil, err
	}
	t.GPUs = gpus
	for i := range in.Rows {
		if err := t.read(in, i, columns); err != nil {
			return nil, err
		}
	}
	t.fillNumbers()
	return t, nil
}

// fillNumbers gives numbers of GPUs that have rows of placements alone the speeds on the fewest servers.
func (t *Table) fillNumbers() {
	for kind, placements := range t.placed {
		fewest := map[int]int{} // servers, by GPUs of a number without a row
		for _, p := range placements {
			of := row{kind, sum(p.Servers)}
			servers, filled := fewest[of.gpus]
			if t.rows[of] == nil || filled && len(p.Servers) < servers {
				t.rows[of] = p.Speeds
				fewest[of.gpus] = len(p.Servers)
			}
		}
	}
}

func sum(of []int) (all int) {
	for _, x := range of {
		all += x
	}
	return all
}

// models returns the columns of speeds, those that are none of the others, and their models of GPU, both in the order
// of the latter.
func models(in *csvtext.Table, others ...string) (columns, gpus []string, err error) {
	for _, column := range in.Header {
		if !slices.Contains(others, column) {
			columns = append(columns, column)
		}
	}
	slices.SortFunc(columns, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	for i, column := range columns {
		gpu := strings.ToLower(column)
		if gpu == "" || i > 0 && gpu == gpus[i-1] {
			return nil, nil, in.HeaderErrorf(slices.Index(in.Header, column),
				"column %q, expected a column for each model of GPU, once", column)
		}
		gpus = append(gpus, gpu)
	}
	if columns == nil {
		return nil, nil, in.HeaderErrorf(0, "no column of speeds, expected one for each model of GPU next to %s",
			strings.Join(others, ", "))
	}
	return columns, gpus, nil
}

// read adds a row, whose speeds are in the columns.
func (t *Table) read(in *csvtext.Table, i int, columns []string) (err error) {
	of := row{kind: in.Text(i, "kind"), gpus: anyNumber}
	if of.kind == "" {
		return in.Errorf(i, "kind", "empty, expected the kind of job, or * for all others")
	}
	servers, err := serversOf(in, i)
	switch {
	case err != nil:
		return err
	case len(servers) == 1:
		of.gpus = servers[0]
	}
	if len(servers) < 2 && t.rows[of] != nil || len(servers) > 1 && t.hasPlacement(of.kind, servers) {
		return in.Errorf(i, "kind", "%q on %s GPUs is given twice", of.kind, in.Text(i, "gpus"))
	}
	speeds := make([]float64, len(columns))
	for k, column := range columns {
		if speeds[k], err = in.Number(i, column, 0, maxSpeed); err != nil {
			return err
		}
	}
	if len(servers) > 1 {
		t.placed[of.kind] = append(t.placed[of.kind], Placement{servers, speeds})
	} else {
		t.rows[of] = speeds
	}
	if of.kind != anyText && !slices.Contains(t.Kinds, of.kind) {
		t.Kinds = append(t.Kinds, of.kind)
	}
	return nil
}

// serversOf returns the GPUs of a row by server, the most first; nil: any number.
func serversOf(in *csvtext.Table, i int) (servers []int, err error) {
	text := in.Text(i, "gpus")
	if text == anyText {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, "+") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > maxGPUs {
			return nil, in.Errorf(i, "gpus", "%q, expected a whole number of 1 to %d, "+
				"several of them by server (4+2), or *", text, maxGPUs)
		}
		servers = append(servers, n)
	}
	slices.SortFunc(servers, func(a, b int) int { return b - a })
	return servers, nil
}

func (t *Table) hasPlacement(kind string, servers []int) bool {
	return slices.ContainsFunc(t.placed[kind], func(p Placement) bool { return slices.Equal(p.Servers, servers) })
}
