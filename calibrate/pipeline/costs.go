package pipeline

import (
	"slices"
)

// RestartCosts are the parts of a restart, in ms; sources in facts/parcae_*.csv.
type RestartCosts struct {
	Rendezvous float64 // when instances join
	Joining    float64 // what else the network needs then
	Process    float64 // to get processes ready; in every migration
	Regroup    float64 // to rebuild groups, beyond what Groups says
	Groups     []GroupCosts
	// Build is the time to build the model, by number of stages.
	Build func(stages int) float64
	// Save is what a checkpoint takes to write and read back; systems without
	// parameter servers pay it.
	Save float64
}

// GroupCosts is the time to rebuild the communication groups from a number of
// pipelines on, in ms: [0] when instances join, [1] when not.
type GroupCosts struct {
	MinPipelines                 int
	Fixed, PerGroup, PerInstance [2]float64 // there are D + P + 1 + DP groups
}

// TransferTable is the time to send bytes from one instance to another: points
// of measured bytes and ms, ascending.
type TransferTable struct{ Bytes, MS []float64 }

// Time returns the ms for bytes: linear between the points, in proportion beyond
// the last, the first below it.
func (t *TransferTable) Time(bytes float64) float64 {
	last := len(t.Bytes) - 1
	switch {
	case bytes <= t.Bytes[0]:
		return t.MS[0]
	case bytes >= t.Bytes[last]:
		return t.MS[last] * bytes / t.Bytes[last]
	}
	i, _ := slices.BinarySearch(t.Bytes, bytes)
	slope := (t.MS[i] - t.MS[i-1]) / (t.Bytes[i] - t.Bytes[i-1])
	return t.MS[i-1] + float64(slope*(bytes-t.Bytes[i-1]))
}
