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
	table := tabulate(services, quantum)
	return &Gittins{table: func() gittinsTable { return table }}
}

// LaterGittins is NewGittins of a sample that is read when it is first needed, once. It
// panics then for an empty sample.
func LaterGittins(services func() []float64, quantum float64) *Gittins {
	later := sync.OnceValue(func() *Gittins { return NewGittins(services(), quantum) })
	return &Gittins{table: func() gittinsTable { return later().table() }}
}

func tabulate(services []float64, quantum float64) gittinsTable {
	sorted := slices.Sorted(slices.Values(services))
	table := gittinsTable{service: sorted}
	n := len(sorted)
	sums := make([]float64, n+1)
	for i, service := range sorted {
		sums[i+1] = sums[i] + service
	}
	largest := sorted[n-1]
	for _, service := range sorted {
		received := service - 1
		if received > largest-1 {
			table.index = append(table.index, 0)
			continue
		}
		first := firstAbove(sorted, received)
		end := n - 1
		if received+quantum <= largest-1 {
			end = firstAbove(sorted, received+quantum)
		}
		chance := rounded(float64(end-first)/float64(n-first), 5)
		expected := rounded((sums[end]-sums[first]+quantum*float64(n-end))/float64(n-first), 5)
		table.index = append(table.index, rounded(1e6*chance/expected, 4))
	}
	return table
}

// Index returns the index of a job that has received a service; 0 if no job of the sample
// received more.
func (g *Gittins) Index(service float64) float64 {
	table := g.table()
	i := firstAbove(table.service, service)
	if i < len(table.index) {
		return table.index[i]
	}
	return 0
}

// firstAbove returns the place of the first number above x.
func firstAbove(sorted []float64, x float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > x })
}

// rounded rounds to decimals as Python's round does: the value in binary, half to even.
func rounded(x float64, decimals int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return out
}
