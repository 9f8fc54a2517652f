package formulas

import (
	"cmp"
	"fmt"

	"github.com/marigram/marigram/internal/fields"
)

// OutOfCore is, in a spec, that parameters lie on a disk while a worker trains.
type OutOfCore struct {
	SizeGB          float64  `json:"size_gb" above:"0" max:"1e9" jsonschema:"parameters with the optimiser's state, 1e9 bytes"`
	SamplesPerEpoch float64  `json:"samples_per_epoch" above:"0" max:"1e15" jsonschema:"samples after which every two partitions have been in memory together"`
	ReadOnly        bool     `json:"read_only,omitempty" jsonschema:"what is swapped is not learned: nothing is written back"`
	NoPrefetch      bool     `json:"no_prefetch,omitempty" jsonschema:"the GPU waits for the disk; with prefetching (if absent) an epoch takes the larger of both times"`
	Once            bool     `json:"once,omitempty" jsonschema:"the buffer is filled once an epoch and nothing is swapped (classification of nodes); with read_only"`
	Group           int      `json:"group,omitempty" jsonschema:"partitions that are read as one, anew in each epoch (COMET of MariusGNN); 1 if absent"`
	Machines        []OnDisk `json:"machines" jsonschema:"instance types that train from a disk; the others have all in memory"`
}

// OnDisk is an instance type that trains from a disk.
type OnDisk struct {
	Type       string  `json:"type" jsonschema:"instance type"`
	DiskGBPerS float64 `json:"disk_gb_per_s" above:"0" max:"1e6" jsonschema:"reading and writing together, 1e9 bytes per second"`
	Partitions int     `json:"partitions,omitempty" jsonschema:"number of partitions; of 8 to 256 the one that is fastest if absent, with memory_gb"`
	Buffer     int     `json:"buffer,omitempty" needs:"partitions" either:"memory" jsonschema:"how many of them are in memory"`
	MemoryGB   float64 `json:"memory_gb,omitempty" min:"0" max:"1e9" either:"memory" jsonschema:"instead of buffer: memory for partitions, 1e9 bytes"`
}

// PartitionCounts are those that are tried where none is given.
func PartitionCounts() []int { return []int{8, 16, 32, 64, 128, 256} }

// On returns what an epoch takes on an instance type, whose compute is n seconds with
// all in memory; false if the type has all in memory. Errors name the key.
func (o *OutOfCore) On(instanceType string, computeS float64) (epoch Epoch, onDisk bool, err error) {
	for i := range o.Machines {
		machine := &o.Machines[i]
		if machine.Type != instanceType {
			continue
		}
		training := Training{
			SizeGB:     o.SizeGB,
			Learned:    !o.ReadOnly,
			ComputeS:   computeS,
			DiskGBPerS: machine.DiskGBPerS,
			Prefetch:   !o.NoPrefetch,
			Once:       o.Once,
			Group:      o.Group,
		}
		if err := training.Check(); err != nil {
			return Epoch{}, true, err
		}
		epoch, err = machine.epoch(&training)
		if err != nil {
			return epoch, true, fmt.Errorf("machines: %s: %w", machine.Type, err)
		}
		return epoch, true, nil
	}
	return Epoch{}, false, nil
}

func (m *OnDisk) epoch(t *Training) (Epoch, error) {
	if m.Partitions == 0 {
		return t.best(m.MemoryGB, PartitionCounts())
	}
	buffer := cmp.Or(m.Buffer, t.BufferIn(m.MemoryGB, m.Partitions))
	if err := t.checkBuffer(m.Partitions, buffer); err != nil {
		return Epoch{}, err
	}
	return t.Epoch(m.Partitions, buffer), nil
}

// Check says what is wrong with the option beside its machines.
func (o *OutOfCore) Check() error {
	if err := fields.Check(o); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range o.Machines {
		name := o.Machines[i].Type
		if seen[name] {
			return fmt.Errorf("machines: %s twice, expected each once", name)
		}
		seen[name] = true
	}
	return nil
}
