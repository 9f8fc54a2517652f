package throughput

import (
	"io"
	"math"

	"github.com/marigram/marigram/internal/csvtext"
)

// Phases says by what factor the speed of kinds of job changes at shares of their work. A factor is the same on any
// GPUs, so that all that it changes is how long a job takes.
type Phases struct {
	Kinds []string // in the order of the source
	ofOne map[string]float64
}

// Stretch returns how long a kind of job takes, by the time that it would take at a factor of 1 throughout: 1 without
// phases. A kind without rows of its own has those of *.
func (p *Phases) Stretch(kind string) float64 {
	for _, k := range []string{kind, anyText} {
		if x, known := p.ofOne[k]; known {
			return x
		}
	}
	return 1
}

// OpenPhases reads the table at path, see ReadPhases.
func OpenPhases(path string) (*Phases, error) { return csvtext.Open(path, ReadPhases) }

// ReadPhases reads a table of phases: CSV with the columns kind, phase (from 1 on), work (the share of the job's work
// in the phase, together 1) and factor (of the speed in it). As kind, * stands for every kind without rows of its own.
// Errors name the file, line and column.
func ReadPhases(name string, r io.Reader) (*Phases, error) {
	in, err := csvtext.Read(name, r, "kind", "phase", "work", "factor")
	if err != nil {
		return nil, err
	}
	p := &Phases{ofOne: map[string]float64{}}
	phases := map[string]int{}
	works := map[string]float64{}
	last := map[string]int{} // row
	for i := range in.Rows {
		cells := in.Cells(i)
		kind := cells.Named("kind")
		phase := cells.Count("phase", 1, maxGPUs)
		work := cells.Number("work", 0, 1)
		factor := cells.Number("factor", 1e-9, 1e9)
		if cells.Err != nil {
			return nil, cells.Err
		}
		if phase != phases[kind]+1 {
			return nil, in.Errorf(i, "phase", "%d, expected %d, the next phase of %s", phase, phases[kind]+1, kind)
		}
		if phase == 1 {
			p.Kinds = append(p.Kinds, kind)
		}
		phases[kind] = phase
		works[kind] += work
		p.ofOne[kind] += work / factor
		last[kind] = i
	}
	for _, kind := range p.Kinds {
		if math.Abs(works[kind]-1) > 1e-6 {
			return nil, in.Errorf(last[kind], "work", "the phases of %s have %v of its work together, expected 1",
				kind, works[kind])
		}
	}
	return p, nil
}
