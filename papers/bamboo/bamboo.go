// Package bamboo computes the claims on Bamboo (NSDI 2023): its published simulator
// on constructed traces, and its table of generated ones.
package bamboo

import (
	"embed"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/bamboo/reference"
	"github.com/marigram/marigram/papers/internal/nodes"
)

// replays counts the traces on which the replay gives every integer of
// Bamboo's simulator.
func replays(f *papers.Figure) error {
	type row struct {
		Rendezvous  int    `col:"rendezvous"`
		End         int    `col:"last_step_end_ms"`
		Start       int    `col:"first_start_ms"`
		Preemptions int    `col:"preemptions"`
		Fatal       int    `col:"fatal"`
		Steps       int    `col:"steps"`
		Events      string `col:"events"`
	}
	model, _, err := published("BERT")
	if err != nil {
		return err
	}
	var sim reference.Simulator
	equal := 0
	for _, r := range facts.ReadFrom[row](files, "replays") {
		events, err := nodeEvents(r.Events)
		if err != nil {
			return err
		}
		got := sim.Replay(model, events, math.MaxInt64)
		r.Events = ""
		if r == (row{Rendezvous: got.Rendezvous, End: int(got.LastStepEndMs), Start: int(got.FirstStartMs),
			Preemptions: got.Preemptions, Fatal: got.Fatal, Steps: got.Steps}) {
			equal++
		}
	}
	f.Report("exact", float64(equal))
	return nil
}

func published(network string) (*reference.Model, pipeline.BambooNetwork, error) {
	n, err := pipeline.BambooModel(network)
	return &reference.Model{Stages: n.Stages, StepMs: n.StepMs(), Samples: int(n.Samples), Steps: n.Steps,
		LocalMs: int64(n.LocalMs), Capacity: n.Capacity}, n, err
}

// nodeEvents reads the ms at which nodes come or, with -n, the n-th to come goes.
func nodeEvents(text string) ([]nodes.Change, error) {
	var out []nodes.Change
	came := int32(0)
	for field := range strings.FieldsSeq(text) {
		ms, node, goes := strings.Cut(field, "-")
		e := nodes.Change{Node: came, Add: !goes}
		var err error
		if e.At, err = strconv.ParseInt(ms, 10, 64); err == nil && goes {
			var n int
			n, err = strconv.Atoi(node)
			e.Node = int32(n)
		}
		if err != nil {
			return nil, fmt.Errorf("event %q: %w", field, err)
		}
		if e.Add {
			came++
		}
		out = append(out, e)
	}
	return out, nil
}

// table reports the means of the runs of Bamboo's generated table, and how
// many of them take the processor time of one of the published simulator.
func table(f *papers.Figure) error {
	var in struct {
		Network   string    `json:"network"`
		Goes      []float64 `json:"p_goes_per_hour"`
		Runs      int       `json:"runs"`
		Published float64   `json:"published_cpu_s_per_run"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	model, network, err := published(in.Network)
	if err != nil {
		return err
	}
	run := run{model: model, fleet: fleet{capacity: network.Capacity}}
	for _, p := range in.Goes {
		run.fleet.goes = p
		var sums [len(metrics)]float64
		start := papers.CPUTime()
		for seed := range in.Runs {
			for i, x := range run.metrics(uint64(seed)) {
				sums[i] += x
			}
		}
		spent := (papers.CPUTime() - start).Seconds() / float64(in.Runs)
		name := "p" + strconv.FormatFloat(p, 'f', -1, 64)
		for i, metric := range metrics {
			f.Report(name+"-"+metric, sums[i]/float64(in.Runs))
		}
		f.Report(name+"-speed", in.Published/spent)
	}
	return f.Context().Err()
}

var metrics = [...]string{"preemptions", "gap", "lifetime", "fatal", "nodes", "samples", "usd", "value", "hours"}

// run generates traces and replays them.
type run struct {
	model  *reference.Model
	fleet  fleet
	sim    reference.Simulator
	events []nodes.Change
}

const msPerHour = 3_600_000

// metrics makes a run and returns its numbers in the order of bambooMetrics.
func (b *run) metrics(seed uint64) [len(metrics)]float64 {
	for hours := 24; ; hours *= 2 {
		b.generate(seed, hours)
		if r := b.sim.Replay(b.model, b.events, int64(hours)*msPerHour); r.Steps == b.model.Steps {
			gap, life := b.times(r.LastStepEndMs)
			return [...]float64{float64(r.Preemptions), gap, life, float64(r.Fatal), r.Instances, r.Performance, r.CostUSDPerH,
				r.Value, float64(r.LastStepEndMs) / msPerHour}
		}
	}
}

func (b *run) generate(seed uint64, hours int) {
	b.events = b.events[:0]
	for _, e := range b.fleet.draw(seed, hours) {
		b.events = append(b.events, nodes.Change{At: e.at / 1000, Node: int32(e.machine - 1), Add: e.came})
	}
}

// times returns the mean time between preemptions, 0 if there are fewer than two,
// and the mean life of the nodes that came, those alive at the end included; h.
func (b *run) times(end int64) (gap, life float64) {
	var first, last, lifetimes int64
	came, gone := 0, 0
	for _, e := range b.events {
		if e.At > end {
			break
		}
		if e.Add {
			came++
			lifetimes += end - e.At
			continue
		}
		if gone++; gone == 1 {
			first = e.At
		}
		last = e.At
		lifetimes -= end - e.At
	}
	if gone > 1 {
		gap = float64(last-first) / float64(gone-1) / msPerHour
	}
	return gap, float64(lifetimes) / float64(came) / msPerHour
}

//go:embed *.csv *.yaml
var files embed.FS
