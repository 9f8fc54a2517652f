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
}

// Check says what is no training.
func (t *Training) Check() error {
	for _, x := range []struct {
		name string
		x    float64
		most float64
	}{{"size", t.SizeGB, 1e9}, {"compute seconds", t.ComputeS, 1e12}, {"disk GB/s", t.DiskGBPerS, 1e6}} {
		if !(x.x > 0 && x.x <= x.most) {
			return fmt.Errorf("%s %v, expected more than 0 and at most %v", x.name, x.x, x.most)
		}
	}
	return nil
}

// Epoch is what an epoch takes.
type Epoch struct {
	Partitions, Buffer int
	Swaps              int
	ReadWriteGB        float64
	Seconds            float64
}

// Epoch returns what an epoch takes with so many partitions, of which buffer are in
// memory. With all of them in memory nothing is read. It panics on what is no buffer.
func (t *Training) Epoch(partitions, buffer int) Epoch {
	e := Epoch{Partitions: partitions, Buffer: buffer, Seconds: t.ComputeS}
	if partitions == buffer {
		return e
	}
	e.Swaps = Swaps(partitions, buffer)
	ways := 1.0
	if t.Learned {
		ways = 2
	}
	e.ReadWriteGB = ways * float64(buffer+e.Swaps) * t.SizeGB / float64(partitions)
	disk := e.ReadWriteGB / t.DiskGBPerS
	if t.Prefetch {
		e.Seconds = math.Max(t.ComputeS, disk)
	} else {
		e.Seconds = t.ComputeS + disk
	}
	return e
}
