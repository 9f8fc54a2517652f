package gavel

import (
	"slices"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/throughput"
)

// pairKey is two kinds of job, by their places in the table of Gavel, on a number of GPUs.
type pairKey struct{ of, with, gpus int }

// pairSpeeds is the steps a second of two jobs on the same GPUs of each model, summed over the GPUs; 0, 0 where one of
// them does not run.
type pairSpeeds [3][2]float64

// pairTable returns the speeds of jobs that share GPUs, two on each, as Gavel simulates them: pairs.csv.
var pairTable = sync.OnceValue(func() map[pairKey]pairSpeeds {
	type row struct {
		Of         string  `col:"of"`
		With       string  `col:"beside"`
		GPUs       int     `col:"gpus"`
		K80Of      float64 `col:"k80_of"`
		K80Beside  float64 `col:"k80_beside"`
		P100Of     float64 `col:"p100_of"`
		P100Beside float64 `col:"p100_beside"`
		V100Of     float64 `col:"v100_of"`
		V100Beside float64 `col:"v100_beside"`
	}
	kinds := throughput.Gavel().Kinds
	table := map[pairKey]pairSpeeds{}
	for _, r := range facts.ReadFrom[row](files, "pairs") {
		of := slices.Index(kinds, r.Of)
		with := slices.Index(kinds, r.With)
		table[pairKey{of, with, r.GPUs}] = pairSpeeds{{r.K80Of, r.K80Beside}, {r.P100Of, r.P100Beside}, {r.V100Of, r.V100Beside}}
		table[pairKey{with, of, r.GPUs}] = pairSpeeds{{r.K80Beside, r.K80Of}, {r.P100Beside, r.P100Of}, {r.V100Beside, r.V100Of}}
	}
	return table
})
