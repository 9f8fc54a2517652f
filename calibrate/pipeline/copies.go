package pipeline

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Copies keeps the state of every place in the memory of several instances, as in Gemini (SOSP 2023): after a loss
// training goes on from the last copy, unless all that had the state of a place are gone; then from the last save.
type Copies struct {
	N int // instances that have the state of a place, its own included; 0: no copies
	// the state of a place is at the N-1 that follow it as well, the first after the last; else places are in groups of
	// N
	Ring bool
	// Time is what a copy takes while training goes on: where it is longer than a step, only one step in several is
	// copied.
	Time    time.Duration
	Restart time.Duration // from a loss until training goes on from a copy
}

func (c *Copies) check() error {
	if c.N < 0 || c.N == 1 || c.Time < 0 || c.Restart < 0 {
		return fmt.Errorf("%d copies, in %v, with a restart in %v, expected 0 or at least 2, and times of at least 0",
			c.N, c.Time, c.Restart)
	}
	return nil
}

// every returns the steps between two copies, where a step takes a number of seconds.
func (c *Copies) every(step float64) float64 {
	return max(math.Ceil(c.Time.Seconds()/step*(1-1e-12)), 1)
}

// holders returns the places that have the state of place i of n, in the memory of into. Of the places in groups,
// those that are left of full groups and the last full group form a ring, as in Gemini's mixed placement.
func (c *Copies) holders(i, n int, into []int) []int {
	first := 0 // of the ring that i is in
	size := n
	if !c.Ring && n >= 2*c.N {
		whole := n / c.N * c.N
		if i < whole-c.N || whole == n {
			first = i / c.N * c.N
			size = c.N
		} else {
			first = whole - c.N
			size = n - first
		}
	}
	for k := range min(c.N, size) {
		into = append(into, first+(i-first+k)%size)
	}
	return into
}

// Survive reports whether the state of all n places is left when some are lost: for no place all that have its state
// are among them.
func (c *Copies) Survive(lost []int, n int) bool {
	var memory [8]int
	for i := range n {
		if !slices.ContainsFunc(c.holders(i, n, memory[:0]), func(at int) bool { return !slices.Contains(lost, at) }) {
			return false
		}
	}
	return true
}

// survives is Survive of places of a grid, in the order of pipelines and then of stages.
func (c *Copies) survives(lost []sim.Place, grid sim.Place) bool {
	var at []int
	for _, place := range lost {
		at = append(at, int(place.Pipeline*grid.Stage+place.Stage))
	}
	return c.Survive(at, int(grid.Pipeline*grid.Stage))
}
