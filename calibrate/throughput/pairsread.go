package throughput

import (
	"io"
	"slices"

	"github.com/marigram/marigram/internal/csvtext"
)

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
