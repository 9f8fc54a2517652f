package throughput

import (
	"io"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
)

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
