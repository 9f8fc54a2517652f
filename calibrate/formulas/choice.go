package formulas

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Machine is one way to train.
type Machine struct {
	Name    string
	USDPerH float64
	// MemoryGB is for partitions; what else is in memory is not in it. 0: all of the
	// parameters are in memory.
	MemoryGB float64
	// DiskUSDPerH is what the disk costs beside the machine.
	DiskUSDPerH float64
	// Speedup is how many times as fast as one GPU it computes; 0: once.
	Speedup float64
}

// Choice is a way to train with what it costs.
type Choice struct {
	Machine Machine
	Epoch   Epoch // of one machine with all in memory without partitions
	Hours   float64
	USD     float64 // with the disk
	InTime  bool
}

// OutOfCore reports whether parameters lie on a disk.
func (c *Choice) OutOfCore() bool { return c.Epoch.Buffer < c.Epoch.Partitions }

// Cheapest returns all ways to train n epochs, those within the time first and of
// these the cheapest first: each machine whose memory holds a part only with the partition
// count, of those given, that is fastest, the fewest partitions of equal ones. withinH is
// the time in hours, +Inf if there is no limit. An error says what is wrong with an input,
// or that no partition count leaves two partitions in a machine's memory.
func (t *Training) Cheapest(machines []Machine, partitions []int, epochs int, withinH float64) ([]Choice, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if epochs < 1 || len(machines) == 0 {
		return nil, fmt.Errorf("%d epochs on %d machines, expected at least one of each", epochs, len(machines))
	}
	var list []Choice
	for _, m := range machines {
		if !(m.USDPerH >= 0) || !(m.MemoryGB >= 0) || !(m.Speedup >= 0) || !(m.DiskUSDPerH >= 0) || math.IsInf(m.USDPerH+m.Speedup+m.DiskUSDPerH, 1) {
			return nil, fmt.Errorf("%s: %v USD/h, %v GB, %v times as fast, a disk of %v USD/h, expected finite numbers from 0", m.Name, m.USDPerH, m.MemoryGB,
				m.Speedup, m.DiskUSDPerH)
		}
		own := *t
		own.ComputeS /= cmp.Or(m.Speedup, 1)
		epoch, err := own.best(m.MemoryGB, partitions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		hours := float64(epochs) * epoch.Seconds / 3600
		c := Choice{m, epoch, hours, hours * m.USDPerH, hours <= withinH}
		if c.OutOfCore() {
			c.USD += float64(hours * m.DiskUSDPerH)
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b Choice) int {
		if a.InTime != b.InTime {
			return cmp.Compare(place(b.InTime), place(a.InTime))
		}
		return cmp.Or(cmp.Compare(a.USD, b.USD), cmp.Compare(a.Hours, b.Hours))
	})
	return list, nil
}

func place(in bool) int {
	if in {
		return 1
	}
	return 0
}

// best returns the fastest epoch with so much memory.
func (t *Training) best(memoryGB float64, partitions []int) (Epoch, error) {
	if memoryGB == 0 || memoryGB >= t.SizeGB {
		return t.Epoch(1, 1), nil
	}
	best := Epoch{Seconds: math.Inf(1)}
	for _, p := range slices.Sorted(slices.Values(partitions)) {
		c := t.BufferIn(memoryGB, p)
		if t.checkBuffer(p, c) != nil {
			continue
		}
		if e := t.Epoch(p, c); e.Seconds < best.Seconds || e.Seconds == best.Seconds && e.ReadWriteGB < best.ReadWriteGB {
			best = e
		}
	}
	if math.IsInf(best.Seconds, 1) {
		return best, fmt.Errorf("%v GB of memory for %v GB: two partitions have to fit, expected another of the partition counts %v", memoryGB,
			t.SizeGB, partitions)
	}
	return best, nil
}

// BufferIn returns how many of n partitions, in whole groups, are in the buffer
// with so much memory for them, GB; at most all.
func (t *Training) BufferIn(memoryGB float64, partitions int) int {
	c := int(math.Min(float64(partitions)*memoryGB/t.SizeGB, float64(partitions)))
	return c - c%max(t.Group, 1)
}
