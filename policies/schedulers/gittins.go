package schedulers

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"sync"
)

// Gittins ranks jobs by the Gittins index of a distribution of their service: the chance to end
// within a quantum, by the service expected for it, of a job that has received so much.
type Gittins struct {
	table func() gittinsTable // the same at each call
}

type gittinsTable struct {
	service []float64 // ascending
	index   []float64 // by place in service, of a job just below it
}

// NewGittins returns the index of a sample of services, in any order, for a quantum, as
// Tiresias's simulator tabulates it: with chances and expectations rounded to five decimals
// and indices to four. It panics for an empty sample.
func NewGittins(services []float64, quantum float64) *Gittins {
	if len(services) == 0 || !(quantum > 0) {
		panic("cluster: NewGittins: expected services and a quantum above 0")
	}
	g := tabulate(services, quantum)
	return &Gittins{table: func() gittinsTable { return g }}
}

// LaterGittins is NewGittins of a sample that is read when it is first needed, once. It
// panics then for an empty sample.
func LaterGittins(services func() []float64, quantum float64) *Gittins {
	g := sync.OnceValue(func() *Gittins { return NewGittins(services(), quantum) })
	return &Gittins{table: func() gittinsTable { return g().table() }}
}

func tabulate(services []float64, quantum float64) gittinsTable {
	d := slices.Sorted(slices.Values(services))
	g := gittinsTable{service: d}
	sums := make([]float64, len(d)+1)
	for i, x := range d {
		sums[i+1] = sums[i] + x
	}
	n, largest := len(d), d[len(d)-1]
	for _, x := range d {
		a := x - 1
		if a > largest-1 {
			g.index = append(g.index, 0)
			continue
		}
		i, end := above(d, a), n-1
		if a+quantum <= largest-1 {
			end = above(d, a+quantum)
		}
		chance := rounded(float64(end-i)/float64(n-i), 5)
		expected := rounded((sums[end]-sums[i]+quantum*float64(n-end))/float64(n-i), 5)
		g.index = append(g.index, rounded(1e6*chance/expected, 4))
	}
	return g
}

// Index returns the index of a job that has received a service; 0 if no job of the sample
// received more.
func (g *Gittins) Index(service float64) float64 {
	t := g.table()
	if i := above(t.service, service); i < len(t.index) {
		return t.index[i]
	}
	return 0
}

// above returns the place of the first number above x.
func above(sorted []float64, x float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > x })
}

// rounded rounds to decimals as Python's round does: the value in binary, half to even.
func rounded(x float64, decimals int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return y
}
