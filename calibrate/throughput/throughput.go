// Package throughput has tables of measured speeds of jobs on numbers of GPUs of several models: what schedulers of shared clusters know of a job
// before it runs. Where several jobs share rented instances, a table says what an instance has, what the tasks of a job need, and how much tasks
// slow one another; those of Eva (EuroSys 2025) come with marigram.
package throughput

import (
	"slices"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
)

// Table is the speeds of kinds of job. Its methods are safe for concurrent use.
type Table struct {
	GPUs  []string // models of GPU in lower case, sorted
	Kinds []string // in the order of the source

	rows map[row][]float64 // steps/s by model of GPU
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
