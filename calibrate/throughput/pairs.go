package throughput

import (
	"io"
	"math"
	"slices"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
)

// Pairs is the speeds of jobs that share GPUs, two on each. Its methods are safe for concurrent use.
type Pairs struct {
	gpus   []string // models of GPU in lower case, sorted
	kinds  map[string]int
	speeds map[pairRow][]Pair
}

// pairRow is two kinds of job on a number of GPUs.
type pairRow struct{ of, with, gpus int }

// Pair is the steps a second of two jobs on the same GPUs, each summed over them; 0, 0 where one of them does
// not run.
type Pair struct{ Of, With float64 }

// Together returns the speeds of two kinds of job on the same GPUs, of each model: kinds by their place in
// Table.Kinds, models in the order of Table.GPUs. nil: the table has no such row. It must not be changed.
func (p *Pairs) Together(of, with, gpus int) []Pair { return p.speeds[pairRow{of, with, gpus}] }

// Keeps returns the part of the speed that it has alone, by a table, that a kind of job keeps beside another on the same GPUs of a
// model, from 0 to 1; 0 where one of them does not run, or the pair is not known.
func (p *Pairs) Keeps(t *Table, of, with, gpu string, gpus int) float64 {
	m, known := slices.BinarySearch(p.gpus, gpu)
	a, is := p.kinds[of]
	b, too := p.kinds[with]
	pairs := p.Together(a, b, gpus)
	if !known || !is || !too || pairs == nil || pairs[m].Of == 0 || pairs[m].With == 0 {
		return 0
	}
	alone := t.Speed(of, gpu, gpus)
	if alone == 0 {
		return 0
	}
	return min(pairs[m].Of/alone, 1)
}

// gavelPair is a row of the table of facts.
type gavelPair struct {
	Of         string  `col:"of"`
	With       string  `col:"beside"`
	GPUs       int     `col:"gpus"`
	K80Of      float64 `col:"k80_of"`
	K80Beside  float64 `col:"k80_beside"`
	P100Of     float64 `col:"p100_of"`
	P100Beside float64 `col:"p100_beside"`
	V100Of     float64 `col:"v100_of"`
	V100Beside float64 `col:"v100_beside"`
}

// GavelPairs returns the speeds that Gavel (OSDI 2020) simulates jobs with that share GPUs; its kinds and models
// are those of Gavel.
var GavelPairs = sync.OnceValue(func() *Pairs {
	kinds := Gavel().Kinds
	p := &Pairs{gpus: Gavel().GPUs, kinds: map[string]int{}, speeds: map[pairRow][]Pair{}}
	for k, name := range kinds {
		p.kinds[name] = k
	}
	for _, r := range facts.Read[gavelPair]("throughput_pairs") {
		of, with := slices.Index(kinds, r.Of), slices.Index(kinds, r.With)
		speeds := []Pair{{r.K80Of, r.K80Beside}, {r.P100Of, r.P100Beside}, {r.V100Of, r.V100Beside}}
		swapped := make([]Pair, len(speeds))
		for m, x := range speeds {
			swapped[m] = Pair{x.With, x.Of}
		}
		p.speeds[pairRow{of, with, r.GPUs}], p.speeds[pairRow{with, of, r.GPUs}] = speeds, swapped
	}
	return p
})

// OpenPairs reads the pairs at path, see ReadPairs.
func OpenPairs(path string, alone *Table) (*Pairs, error) {
	return csvtext.Open(path, func(name string, r io.Reader) (*Pairs, error) { return ReadPairs(name, r, alone) })
}

// ReadPairs reads the speeds of jobs that share GPUs: CSV with the columns kind, beside and gpus, and one for each model of GPU, whose
// cells are the steps a second that a job of the kind makes on n GPUs of the model, summed over them, beside a job of the other
// kind; 0, or no row: the two do not run there at once. No speed may be above that which the kind has alone. Errors name the file, line
// and column.
func ReadPairs(name string, r io.Reader, alone *Table) (*Pairs, error) {
	in, err := csvtext.Read(name, r, "kind", "beside", "gpus")
	if err != nil {
		return nil, err
	}
	columns, gpus, err := models(in, "kind", "beside", "gpus")
	if err != nil {
		return nil, err
	}
	p := &Pairs{gpus: gpus, kinds: map[string]int{}, speeds: map[pairRow][]Pair{}}
	given := map[pairRow]bool{}
	for i := range in.Rows {
		of, with := in.Text(i, "kind"), in.Text(i, "beside")
		n, err := in.Count(i, "gpus", 1, maxGPUs)
		if err != nil {
			return nil, err
		}
		at := pairRow{p.number(of), p.number(with), n}
		if of == "" || with == "" || given[at] {
			return nil, in.Errorf(i, "kind", "%q next to %q on %d GPUs, expected two kinds of job, once", of, with, n)
		}
		given[at] = true
		for m, column := range columns {
			x, err := in.Number(i, column, 0, maxSpeed)
			if err != nil {
				return nil, err
			}
			if largest := alone.Speed(of, gpus[m], n); x > largest {
				return nil, in.Errorf(i, column, "%v steps/s next to another job, but %v alone, by the table of speeds; expected at most that", x, largest)
			}
			p.set(at, m, x)
		}
	}
	return p, nil
}

// number returns the number of a kind.
func (p *Pairs) number(kind string) int {
	k, known := p.kinds[kind]
	if !known {
		k = len(p.kinds)
		p.kinds[kind] = k
	}
	return k
}

// set notes a speed, in either order of the pair.
func (p *Pairs) set(at pairRow, m int, x float64) {
	back := pairRow{at.with, at.of, at.gpus}
	for _, k := range []pairRow{at, back} {
		if p.speeds[k] == nil {
			p.speeds[k] = slices.Repeat([]Pair{{}}, len(p.gpus))
		}
	}
	p.speeds[at][m].Of, p.speeds[back][m].With = x, x
}

// InstancePairs is the part of its speed that a kind keeps beside another on one instance.
type InstancePairs map[[2]string]float64

// EvaMeasured is the name of the pairs of Eva as its authors measured them; under the name Eva they are as its simulator has them,
// where 24 of 81 are swapped.
const EvaMeasured = "eva-measured"

// ReadInstancePairs returns the pairs of a table that comes with marigram, or of a file: CSV with the columns kind, beside and keeps, above 0
// and at most 1. Errors name file, line and column.
func ReadInstancePairs(name string, file func(string) string) (InstancePairs, error) {
	if name == Eva || name == EvaMeasured {
		return evaPairs(name == EvaMeasured), nil
	}
	p, err := csvtext.Open(file(name), readPairs)
	if err != nil {
		return nil, errorOf("pairs", name, err)
	}
	return p, nil
}

func readPairs(name string, r io.Reader) (InstancePairs, error) {
	t, err := csvtext.Read(name, r, "kind", "beside", "keeps")
	if err != nil {
		return nil, err
	}
	p := InstancePairs{}
	for i := range t.Rows {
		x, err := t.Number(i, "keeps", 1e-6, 1)
		if err != nil {
			return nil, err
		}
		key := [2]string{t.Text(i, "kind"), t.Text(i, "beside")}
		if _, twice := p[key]; twice {
			return nil, t.Errorf(i, "kind", "%q next to %q is given twice", key[0], key[1])
		}
		p[key] = x
	}
	return p, nil
}

// evaPair is a row of the table of facts.
type evaPair struct {
	Of       string  `col:"workload"`
	With     string  `col:"beside"`
	Measured float64 `col:"measured"`
	Used     float64 `col:"as_used"`
}

func evaPairs(measured bool) InstancePairs {
	p := InstancePairs{}
	for _, r := range facts.Read[evaPair]("sharing_pairs") {
		switch {
		case !measured:
			p[[2]string{r.Of, r.With}] = r.Used
		case !math.IsNaN(r.Measured):
			p[[2]string{r.Of, r.With}] = r.Measured
		}
	}
	return p
}
