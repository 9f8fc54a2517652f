package formulas

import (
	"fmt"
	"math"
	"slices"
)

// Training is what is to be trained, and on which disk.
type Training struct {
	SizeGB     float64 // parameters with the optimiser's state, or fixed features
	Learned    bool    // they are written back; else they are only read
	ComputeS   float64 // of an epoch, seconds
	DiskGBPerS float64 // for reading and writing together
	Prefetch   bool    // the disk works while the GPU computes
	// Once fills the buffer once an epoch and swaps nothing: classification of nodes, whose
	// training nodes lie in the partitions that stay (MariusGNN). Nothing is written back.
	Once bool
	// Group is how many partitions are read as one, anew in each epoch (MariusGNN's
	// COMET); it divides partitions and buffer. 0 or 1: each alone.
	Group int
}

// Check says what is no training.
func (t *Training) Check() error {
	for _, number := range []struct {
		name    string
		value   float64
		largest float64
	}{
		{"size", t.SizeGB, 1e9},
		{"compute seconds", t.ComputeS, 1e12},
		{"disk GB/s", t.DiskGBPerS, 1e6},
	} {
		if !(number.value > 0 && number.value <= number.largest) {
			return fmt.Errorf("%s %v, expected more than 0 and at most %v", number.name, number.value, number.largest)
		}
	}
	switch {
	case t.Once && t.Learned:
		return fmt.Errorf("a buffer that is filled once an epoch, expected it of parameters that are only read")
	case t.Group < 0 || t.Group > maxPartitions:
		return fmt.Errorf("groups of %d partitions, expected 0 to %d", t.Group, maxPartitions)
	}
	return nil
}

// checkBuffer refuses what is no buffer of n of m partitions.
func (t *Training) checkBuffer(partitions, buffer int) error {
	group := max(t.Group, 1)
	if partitions%group != 0 || buffer%group != 0 {
		return fmt.Errorf("%d partitions, a buffer of %d, expected multiples of %d: that many are read as one",
			partitions, buffer, group)
	}
	if t.Once && partitions >= 1 && partitions <= maxPartitions && buffer >= 1 && buffer <= partitions {
		return nil
	}
	return checkBuffer(partitions/group, buffer/group)
}

// Epoch is what an epoch takes.
type Epoch struct {
	Partitions, Buffer int
	Swaps              int // of groups, where partitions are grouped
	ReadWriteGB        float64
	Seconds            float64
}

// Epoch returns what an epoch takes with so many partitions, of which buffer are in
// memory. With all of them in memory nothing is read. It panics on what is no buffer.
func (t *Training) Epoch(partitions, buffer int) Epoch {
	epoch := Epoch{Partitions: partitions, Buffer: buffer, Seconds: t.ComputeS}
	if partitions == buffer {
		return epoch
	}
	must(t.checkBuffer(partitions, buffer))
	if !t.Once {
		group := max(t.Group, 1)
		partitions /= group
		buffer /= group
		epoch.Swaps = Swaps(partitions, buffer)
	}
	ways := 1.0
	if t.Learned {
		ways = 2
	}
	epoch.ReadWriteGB = ways * float64(buffer+epoch.Swaps) * t.SizeGB / float64(partitions)
	diskS := epoch.ReadWriteGB / t.DiskGBPerS
	if t.Prefetch {
		epoch.Seconds = math.Max(t.ComputeS, diskS)
	} else {
		epoch.Seconds = t.ComputeS + diskS
	}
	return epoch
}

// isBetter reports whether an epoch is faster than another, or as fast and moves less.
func (e *Epoch) isBetter(than *Epoch) bool {
	return e.Seconds < than.Seconds || e.Seconds == than.Seconds && e.ReadWriteGB < than.ReadWriteGB
}

// best returns the fastest epoch with so much memory.
func (t *Training) best(memoryGB float64, partitions []int) (Epoch, error) {
	if memoryGB == 0 || memoryGB >= t.SizeGB {
		return t.Epoch(1, 1), nil
	}
	best := Epoch{Seconds: math.Inf(1)}
	for _, count := range slices.Sorted(slices.Values(partitions)) {
		buffer := t.BufferIn(memoryGB, count)
		if t.checkBuffer(count, buffer) != nil {
			continue
		}
		epoch := t.Epoch(count, buffer)
		if epoch.isBetter(&best) {
			best = epoch
		}
	}
	if math.IsInf(best.Seconds, 1) {
		return best, fmt.Errorf("%v GB of memory for %v GB: two partitions have to fit, "+
			"expected another of the partition counts %v", memoryGB, t.SizeGB, partitions)
	}
	return best, nil
}

// BufferIn returns how many of so many partitions, in whole groups, are in the buffer
// with so much memory for them, GB; at most all.
func (t *Training) BufferIn(memoryGB float64, partitions int) int {
	buffer := int(math.Min(float64(partitions)*memoryGB/t.SizeGB, float64(partitions)))
	return buffer - buffer%max(t.Group, 1)
}
