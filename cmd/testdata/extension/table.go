package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:  "table",
		Name: "of a table of rates",
		Doc:  "training at the rates of a table, with a constant time lost at each change",
		Job:  func() model.Job { return &table{} },
	})
}

// table is what a spec says below model.table.
type table struct {
	Samples float64 `json:"samples" above:"0" max:"1e15" jsonschema:"size of the job"`
	Rates   string  `json:"rates" jsonschema:"CSV file of instances and samples per second, 1, 2, 3 and so on, relative to this file"`
	ChangeS float64 `json:"change_s,omitempty" min:"0" max:"86400" jsonschema:"time lost when the number of instances changes"`
}

// Open implements model.Job.
func (t *table) Open(s model.Study) (*model.Opened, error) {
	rates, err := readRates(s.Path(t.Rates))
	if err != nil {
		return nil, model.At("rates", err)
	}
	trained := &training{samples: t.Samples, rates: rates, change: time.Duration(t.ChangeS * float64(time.Second))}
	return &model.Opened{On: func([]sim.Pool) (sim.Model, error) { return trained, nil }, Smallest: 1}, nil
}

// SizeInSamples implements model.Sized: objectives may ask for a mean rate.
func (t *table) SizeInSamples() float64 { return t.Samples }

// Files implements model.Reader: sweeps know when the table changes.
func (t *table) Files(model.Study) []string { return []string{t.Rates} }

// readRates returns the samples per second by number of instances, from 0.
func readRates(name string) ([]float64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := csv.NewReader(file)
	lines.FieldsPerRecord = 2
	rows, err := lines.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rates := []float64{0}
	for i, row := range rows {
		rate, err := strconv.ParseFloat(row[1], 64)
		if row[0] != strconv.Itoa(i+1) || err != nil || !(rate > 0) {
			return nil, fmt.Errorf("%s:%d: %q, expected %d and a rate above 0", name, i+1, row, i+1)
		}
		rates = append(rates, rate)
	}
	return rates, nil
}

// training is the model of the job, a sim.PipelineModel of one stage: progress is samples, and nothing has to be saved.
type training struct {
	samples float64
	rates   []float64
	change  time.Duration
}

// working returns how many instances of a layout train: more than the table has are spares.
func (t *training) working(l *sim.Layout) int { return min(l.Total(), len(t.rates)-1) }

func (t *training) Rate(l *sim.Layout) sim.Rate {
	n := t.working(l)
	return sim.Rate{Progress: t.rates[n], Samples: t.rates[n], Working: int32(n)}
}

func (t *training) Begin(*sim.Layout) float64 { return 0 }

func (t *training) Goal(loss float64) float64 { return t.samples - loss }

func (t *training) Loss(progress float64) float64 { return t.samples - progress }

func (t *training) Change(c *sim.Change) sim.Pause {
	if int(c.Worked) == t.working(c.To) && c.Lost == 0 {
		return sim.Pause{}
	}
	return sim.Pause{Stall: t.change, As: sim.Reconfiguring}
}

func (t *training) SaveTime(*sim.Layout) (stall, persist time.Duration) { return 0, 0 }

// Best lays n instances out: each is a pipeline of one stage.
func (t *training) Best(n int) (pipelines, stages int) { return min(n, t.MaxUseful()), 1 }

func (t *training) MaxUseful() int { return len(t.rates) - 1 }
