package parallel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/registry"
)

// Speed is a published speed of training: a row of calibrate/facts/published_speeds.csv.
type Speed struct {
	Network     string  `col:"network"`
	GPU         string  `col:"gpu"`
	GPUs        int     `col:"gpus"`          // that train together
	Node        int     `col:"node"`          // of them in a machine
	Batch       float64 `col:"batch"`         // samples of a step
	Sequence    float64 `col:"sequence"`      // tokens of a sample; NaN where it has none
	SamplesPerS float64 `col:"samples_per_s"` // of all GPUs together
	How         string  `col:"how"`           // measured, or computed from measured layers
	Source      string  `col:"source"`
	Conditions  string  `col:"conditions"`
}

// Speeds returns all published speeds, by network, GPU and number of GPUs.
func Speeds() []Speed { return facts.Read[Speed]("published_speeds") }

// SpeedNetworks returns the networks of published speeds, sorted.
func SpeedNetworks() []string {
	var names []string
	for _, speed := range Speeds() {
		names = append(names, speed.Network)
	}
	return slices.Compact(names)
}

// PublishedSpeeds returns the speeds of a network on a GPU type, one for each number of GPUs: of several the median.
// The error of a network or GPU without any names those that have one; nothing is taken from another GPU.
func PublishedSpeeds(network, gpu string) ([]Speed, error) {
	var of []Speed
	var gpus []string
	for _, speed := range Speeds() {
		if speed.Network != network {
			continue
		}
		gpus = append(gpus, speed.GPU)
		if speed.GPU == gpu {
			of = append(of, speed)
		}
	}
	if gpus == nil {
		return nil, registry.Unknown("network with published speeds", network, SpeedNetworks())
	}
	if of == nil {
		return nil, fmt.Errorf("no published speed of %s on %s, only on %s",
			network, gpu, strings.Join(slices.Compact(gpus), ", "))
	}
	slices.SortStableFunc(of, func(a, b Speed) int {
		return cmp.Or(a.GPUs-b.GPUs, cmp.Compare(a.SamplesPerS, b.SamplesPerS))
	})
	var medians []Speed
	for from := 0; from < len(of); {
		to := from
		for to < len(of) && of[to].GPUs == of[from].GPUs {
			to++
		}
		medians = append(medians, of[(from+to-1)/2])
		from = to
	}
	return medians, nil
}

// OnMachines returns the speeds as measured speeds of instances of a type with a number of GPUs; those of fewer GPUs,
// or of no whole number of instances, are left out.
func OnMachines(speeds []Speed, typ string, gpus int) (rows []Measured) {
	for _, speed := range speeds {
		if speed.GPUs%gpus == 0 {
			rows = append(rows, Measured{Type: typ, Workers: speed.GPUs / gpus, SamplesPS: speed.SamplesPerS})
		}
	}
	return rows
}
