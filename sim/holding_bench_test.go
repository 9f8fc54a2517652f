package sim_test

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

const (
	minute = 60e6 // microseconds
	held   = 12 * 60 * minute
)

// minutes returns a price a minute.
func minutes(n int) columns {
	c := columns{make([]int64, n), make([]float64, n)}
	draws := splitmix(1)
	for i := range n {
		c.at[i], c.usd[i] = int64(i)*minute, draws.float()
	}
	return c
}

// walk returns the cost of holding one instance over [from, to), record by
// record; c has a price a minute.
func (c columns) walk(from, to int64) (cost float64) {
	for i := from / minute; i < int64(len(c.at)) && c.at[i] < to; i++ {
		end := to
		if i+1 < int64(len(c.at)) {
			end = min(to, c.at[i+1])
		}
		cost += c.usd[i] * float64(end-max(from, c.at[i]))
	}
	return cost / 3600e6
}

// holding draws when a holding of 12 hours begins.
func (s *splitmix) holding(c columns) int64 {
	return int64(s.next() % uint64(c.at[len(c.at)-1]-held))
}

func BenchmarkHolding(b *testing.B) {
	n := 1 << 20
	if testing.Short() {
		n = 1 << 16
	}
	c := minutes(n)
	b.Run("walk", func(b *testing.B) {
		draws := splitmix(1)
		start := simtest.CPUTime()
		for b.Loop() {
			from := draws.holding(c)
			c.walk(from, from+held)
		}
		reportCPU(b, start, 1, "holding")
	})
	b.Run("prefix", func(b *testing.B) {
		m := market(b, c)
		draws := splitmix(1)
		b.ResetTimer()
		start := simtest.CPUTime()
		for b.Loop() {
			from := sim.Time(draws.holding(c))
			m.Cost(0, from, from+held)
		}
		reportCPU(b, start, 1, "holding")
	})
}

func TestHolding(t *testing.T) {
	check := near.Count(t)
	c := minutes(4096)
	m := market(t, c)
	draws := splitmix(1)
	for range 1000 {
		from := draws.holding(c)
		got, want := m.Cost(0, sim.Time(from), sim.Time(from+held)), c.walk(from, from+held)
		if check.OffRel(got, want, 1e-9) {
			t.Fatalf("12 h from %d us cost %v by the prefix integral, %v by walking", from, got, want)
		}
	}
}
