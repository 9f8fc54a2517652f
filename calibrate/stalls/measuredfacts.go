package stalls

import (
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/store"
)

// measuredFacts are the values of the profiler's measurements.csv.
type measuredFacts struct {
	name string
	of   map[measuredFact]float64
}

type measuredFact struct {
	quantity, model, precision string
	batch                      int // 0 if of none
}

func openMeasuredFacts(path string) (measuredFacts, error) {
	out := measuredFacts{path, map[measuredFact]float64{}}
	file, err := store.OpenInput(path)
	if err != nil {
		return out, err
	}
	defer file.Close()
	table, err := csvtext.Read(path, file, "quantity", "model", "precision", "batch_per_gpu", "value")
	if err != nil {
		return out, err
	}
	for i := range table.Rows {
		key := measuredFact{table.Text(i, "quantity"), table.Text(i, "model"), table.Text(i, "precision"), 0}
		if table.Text(i, "batch_per_gpu") != "" {
			if key.batch, err = table.Count(i, "batch_per_gpu", 1, 1<<24); err != nil {
				return out, err
			}
		}
		if table.Text(i, "value") == "" { // refused or absent
			continue
		}
		if out.of[key], err = table.Number(i, "value", -1e9, 1e9); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (f *measuredFacts) value(quantity, model, precision string, batch int) (float64, bool) {
	number, ok := f.of[measuredFact{quantity, model, precision, batch}]
	return number, ok
}

// stalls returns what the differential runs with a batch say, nil if there are none.
func (f *measuredFacts) stalls(model, precision string, batch int) *DataStalls {
	synthetic, ok := f.value("epoch_synthetic_s", model, precision, batch)
	warm, real := f.value("epoch_warm_s", model, precision, batch)
	if !ok || !real {
		return nil
	}
	cold, ok := f.value("epoch_cold_s", model, precision, batch)
	found := Differential{One: synthetic, All: synthetic, Warm: warm, Cold: cold}.Stalls()
	out := &DataStalls{Batch: batch, CPU: found.CPU.Share}
	if ok {
		out.Disk = &found.Disk.Share
	}
	return out
}

// DataStalls are Stash's of one GPU, shares of an epoch.
type DataStalls struct {
	Batch int      `json:"batch"`
	CPU   float64  `json:"cpu"`  // with the data in the page cache
	Disk  *float64 `json:"disk"` // with the data on the disk; nil: not measured
}

func init() { fit.Register(stallLayers) }

// stallLayers says how long a step waits for the exchange of gradients on one
// kind of link: deep networks for its latency, wide ones for its bandwidth.
var stallLayers = fit.LinearFamily(fit.Family{
	Name:    "stall-layers",
	Formula: "sync_time_s = a layers + b gradient_mb + c",
	Source: "a form consistent with the abstract of Stash (ICDCS 2023), which names layers and gradients; its " +
		"coefficients are not published",
	Target: "sync_time_s",
	Inputs: []string{"layers", "gradient_mb"},
	Same:   []string{"gpu", "gpus"},
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s/layer", Doc: "latency of an exchange"},
		{Name: "b", Unit: "s/MB", Doc: "1/b is the effective bandwidth of the link"},
		{Name: "c", Unit: "s", Doc: "part that does not depend on the network"},
	},
}, func(m *fit.Measurement) []float64 { return []float64{float64(m.Layers), m.GradientMB, 1} })
