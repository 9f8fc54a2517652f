package dollars

import (
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/papers"
)

// statement is what was published of a job in memory.
type statement struct {
	What       string  `col:"what"`
	Params     float64 `col:"params"`
	Method     string  `col:"method"`
	GPUs       int     `col:"gpus"`
	Shared     float64 `col:"shared"`      // GPUs that share the state; NaN: all
	StateBytes float64 `col:"state_bytes"` // NaN: 18
	Rank       float64 `col:"rank"`        // of adapters; NaN: 16
	Stored     string  `col:"stored"`      // yes: nothing is recomputed
	Seq        float64 `col:"seq"`
	GiB        float64 `col:"memory_gib"`
	Stated     string  `col:"stated"` // fits, oom, or GB
}

// needs returns what the rule says of a statement.
func (s *statement) needs() transformer.Memory {
	job := transformer.Job{Params: s.Params, Method: s.Method, Seq: s.Seq}
	if !math.IsNaN(s.StateBytes) {
		job.StateBytes = s.StateBytes
	}
	if !math.IsNaN(s.Rank) {
		job.Rank = s.Rank
	}
	gpus := s.GPUs
	if !math.IsNaN(s.Shared) {
		gpus = int(s.Shared)
	}
	job = job.WithDefaults()
	return job.Memory(transformer.GPU{MemoryGB: s.GiB}, transformer.Layout{GPUs: gpus, Node: 8, Stored: s.Stored == "yes"})
}

// memory reports how many statements the rule is right in, and its mean and median error where GB are stated, per cent.
func memory(f *papers.Figure) error {
	right := 0
	var errs []float64
	var wrong []string
	for _, s := range facts.ReadFrom[statement](files, "memory") {
		needed := s.needs()
		if (needed.Fit != transformer.TooLarge) == (s.Stated != "oom") {
			right++
		} else {
			wrong = append(wrong, fmt.Sprintf("%s, %g tokens (%.1f of %.1f GB)", s.What, s.Seq, needed.GB, needed.OfGB))
		}
		var gb float64
		if n, _ := fmt.Sscanf(s.Stated, "%g GB", &gb); n == 1 {
			errs = append(errs, 100*math.Abs(needed.GB/gb-1))
		}
	}
	f.Report("right", float64(right))
	f.Note("right", "wrong: "+strings.Join(wrong, "; "))
	f.Report("stated", float64(len(errs)))
	mean := 0.0
	for _, x := range errs {
		mean += x / float64(len(errs))
	}
	f.Report("mean-error", mean)
	f.Report("median-error", papers.Median(errs))
	return nil
}
