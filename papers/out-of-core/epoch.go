package outofcore

import (
	"fmt"
	"math"
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
