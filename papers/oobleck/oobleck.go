// Package oobleck computes the claims on Oobleck (SOSP 2023), and those on Varuna
// that its artifact has measured.
package oobleck

import (
	"embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/papers/oobleck/reference"
	varunaref "github.com/marigram/marigram/papers/varuna/reference"
)

// table2 reports Oobleck's throughput on a shrinking fleet: as its
// artifact counts, and simulated in the world (-own).
func table2(f *papers.Figure) error {
	var in world.Fleet
	if err := f.Inputs(&in); err != nil {
		return err
	}
	var replay reference.Simulator
	return in.EachTable("oobleck", func(item string, period world.Period, t pipeline.NodeTable) error {
		f.Report(item, replay.Replay(reference.OfTable(t), in.Events(period)).Throughput)
		p, err := (&spec.Policy{Name: "oobleck", Settings: map[string]any{"grow": false, "interval_s": 0}}).New()
		if err != nil {
			return err
		}
		own, err := in.Throughput(p, t, period)
		f.Report(item+"-own", own)
		return err
	})
}

// fig11 reports the share of the time that is effective, as the artifact
// counts it.
func fig11(f *papers.Figure) error {
	var in world.Fleet
	if err := f.Inputs(&in); err != nil {
		return err
	}
	var oobleck reference.Simulator
	err := in.EachTable("oobleck", func(item string, period world.Period, t pipeline.NodeTable) error {
		f.Report("oobleck-"+item, oobleck.Replay(reference.OfTable(t), in.Events(period)).Effective)
		return nil
	})
	if err != nil {
		return err
	}
	var varuna varunaref.Simulator
	return in.EachTable("varuna", func(item string, period world.Period, t pipeline.NodeTable) error {
		f.Report("varuna-"+item, varuna.Replay(varunaref.OfTable(t), in.Events(period)).Effective)
		return nil
	})
}

// planning counts the cases in which planner, instantiation, batches and
// reconfiguration give what was computed elsewhere.
func planning(f *papers.Figure) error {
	for _, part := range []struct {
		item  string
		count func() (int, error)
	}{
		{"templates", equalTemplates}, {"instantiation", equalSets}, {"batches", equalBatches},
		{"reconfiguration", equalReconfigurations},
	} {
		n, err := part.count()
		if err != nil {
			return err
		}
		f.Report(part.item, float64(n))
	}
	return nil
}

func equalTemplates() (equal int, err error) {
	type row struct {
		Layers  int     `col:"layers"`
		Profile string  `col:"profile"`
		GPUs    int     `col:"gpus_per_node"`
		Nodes   int     `col:"nodes"`
		Stages  string  `col:"layers_per_stage"`
		Split   string  `col:"gpus_per_stage"`
		Time    float64 `col:"time"`
	}
	for _, r := range facts.Read[row]("oobleck_planner") {
		p := &reference.Profile{GPUsPerNode: r.GPUs, AllReduce: func(_, gpus int) float64 { return 0.02 * float64(gpus) }}
		for i := range r.Layers {
			p.Layers = append(p.Layers, map[string]float64{"uniform": 4, "ramp": 3 + 0.15*float64(i),
				"mod5": 3 + 0.3*float64(i%5)}[r.Profile])
		}
		got, err := reference.PlanTemplate(p, r.Nodes)
		if err != nil {
			return 0, err
		}
		if math.Abs(got.Time-r.Time) <= 1e-9*r.Time && plain(got.Layers) == r.Stages && plain(got.GPUs) == r.Split {
			equal++
		}
	}
	return equal, nil
}

func equalSets() (equal int, err error) {
	type row struct {
		Templates string `col:"templates"`
		Nodes     int    `col:"nodes"`
		Failures  int    `col:"failures"`
		Count     int    `col:"count"`
		Sets      string `col:"sets"`
	}
	for _, r := range facts.Read[row]("oobleck_instantiation") {
		sizes, err := ints(r.Templates)
		if err != nil {
			return 0, err
		}
		var sets []string
		reference.Sets(sizes, r.Nodes, r.Failures+1, func(counts []int) bool {
			sets = append(sets, plain(counts))
			return true
		})
		if len(sets) == r.Count && strings.Join(sets[:min(len(sets), 20)], " ; ") == r.Sets {
			equal++
		}
	}
	return equal, nil
}

func equalBatches() (equal int, err error) {
	type row struct {
		Seconds    string `col:"seconds"`
		Counts     string `col:"counts"`
		Batches    int    `col:"batches"`
		Unweighted string `col:"unweighted"`
		Weighted   string `col:"weighted"`
	}
	for _, r := range facts.ReadFrom[row](files, "batches") {
		var times []float64
		for field := range strings.FieldsSeq(r.Seconds) {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return 0, err
			}
			times = append(times, x)
		}
		counts, err := ints(r.Counts)
		if err != nil {
			return 0, err
		}
		a, errA := reference.Batches(times, counts, r.Batches, false)
		b, errB := reference.Batches(times, counts, r.Batches, true)
		if err := errors.Join(errA, errB); err != nil {
			return 0, err
		}
		if plain(a) == r.Unweighted && plain(b) == r.Weighted {
			equal++
		}
	}
	return equal, nil
}

func equalReconfigurations() (equal int, err error) {
	type row struct {
		Before   string `col:"before"`
		Lost     string `col:"lost"`
		Min      int    `col:"least"`
		After    string `col:"after"`
		Borrowed int    `col:"borrowed"`
		Merged   int    `col:"merged"`
	}
	for _, r := range facts.ReadFrom[row](files, "reconfiguration") {
		before, err := ints(r.Before)
		if err != nil {
			return 0, err
		}
		lost, err := ints(r.Lost)
		if err != nil {
			return 0, err
		}
		want, err := ints(r.After)
		if err != nil {
			return 0, err
		}
		got, borrowed, merged, err := reference.Reconfigure(before, lost, r.Min)
		slices.Sort(got)
		slices.Sort(want)
		stopped := r.After == "" && errors.Is(err, reference.ErrTooFewNodes)
		if stopped || err == nil && slices.Equal(got, want) && borrowed == r.Borrowed && merged == r.Merged {
			equal++
		}
	}
	return equal, nil
}

func plain(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

func ints(text string) (out []int, err error) {
	for field := range strings.FieldsSeq(text) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

//go:embed *.csv *.yaml
var files embed.FS
