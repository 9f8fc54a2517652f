package fit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

const (
	measuredHeader = "model,gpu,gpus,batch_per_gpu,step_time_s,source\n"
	measuredRow    = "resnet-50,V100,1,32,0.1,bench\n"
)

func TestReadMeasured(t *testing.T) {
	p, err := ReadMeasured("here/r.csv", strings.NewReader("date,sync_time_s,"+measuredHeader+"2024-03-31,0.02,"+measuredRow+",,"+measuredRow))
	if err != nil {
		t.Fatal(err)
	}
	r := p.Rows[0]
	if p.Name != "r.csv" || len(p.SHA256) != 64 || r.Model != "resnet-50" || r.GPUs != 1 || r.Batch != 32 || r.StepS != 0.1 || r.SyncS != 0.02 ||
		r.Date != "2024-03-31" || r.Line != 2 || r.Layers != 0 || !math.IsNaN(r.MemoryMB) {
		t.Errorf("%+v", p)
	}
	if r = p.Rows[1]; r.Line != 3 || r.Date != "" || !math.IsNaN(r.SyncS) {
		t.Errorf("empty cells: %+v", r)
	}
}

func TestReadMeasuredErrors(t *testing.T) {
	for text, says := range map[string]string{
		"":                    "r.csv: the file is empty, expected a header",
		measuredHeader:        "r.csv: no rows after the header",
		"model,gpu\nx,V100\n": `r.csv:1:1: no column "source" in the header model,gpu`,
		"speed," + measuredHeader + "1," + measuredRow:        `r.csv:1:1: column "speed" is unknown; the columns are model, instance_type`,
		"gpu," + measuredHeader + "K80," + measuredRow:        `r.csv:1:11: column "gpu" is given twice`,
		measuredHeader + "x,V100,1\n":                         "r.csv:2:1: 3 fields, expected 6",
		measuredHeader + measuredRow + "m,,1,32,0.1,s\n":      "r.csv:3:3: gpu: empty, expected type of the GPUs",
		measuredHeader + "x,V100,0,32,0.1,s\n":                `r.csv:2:8: gpus: "0", expected a whole number from 1 to 16777216`,
		measuredHeader + "x,V100,1.5,32,0.1,s\n":              `r.csv:2:8: gpus: "1.5", expected a whole number`,
		measuredHeader + "x,V100,1,32,0,s\n":                  `r.csv:2:13: step_time_s: "0", expected more than 0`,
		"startup_s," + measuredHeader + "0," + measuredRow:    `r.csv:2:1: startup_s: "0", expected more than 0`,
		measuredHeader + "x,V100,1,32,-1,s\n":                 `r.csv:2:13: step_time_s: "-1", expected a number from 0`,
		measuredHeader + "x,V100,1,32,NaN,s\n":                `r.csv:2:13: step_time_s: "NaN", expected a number from 0`,
		measuredHeader + "x,V100,1,32,0.1s,s\n":               `r.csv:2:13: step_time_s: "0.1s", expected a number from 0`,
		measuredHeader + "x,V100,1,32,0.1,\n":                 "r.csv:2:17: source: empty, expected who measured it",
		"date," + measuredHeader + "31.3.2024," + measuredRow: `r.csv:2:1: date: "31.3.2024", expected a day such as 2024-03-31`,
		"layers," + measuredHeader + "-4," + measuredRow:      `r.csv:2:1: layers: "-4", expected a whole number from 1`,
	} {
		if _, err := ReadMeasured("r.csv", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%q: got %v, expected %s", text, err, says)
		}
	}
}

func FuzzReadMeasured(f *testing.F) {
	f.Add(measuredHeader + measuredRow)
	f.Add("date,memory_mb," + measuredHeader + "2024-03-31,," + measuredRow)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadMeasured("r.csv", strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "r.csv") {
				t.Errorf("an error without its file: %v", err)
			}
			return
		}
		for _, r := range p.Rows {
			if !(r.StepS > 0) || math.IsInf(r.StepS, 0) || r.GPUs < 0 || r.Batch < 0 || r.GPU == "" || r.SyncS < 0 || r.Line < 2 {
				t.Errorf("accepted %+v", r)
			}
		}
	})
}

// The profiles that come with marigram are what was published.
func TestPublishedMeasured(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		name, table                      string
		model, gpu, gpus, batch, ps, all string // columns
	}{
		{"gavel-resnet50", "papers/gavel/testdata/gavel_throughputs.csv", "model", "gpu_type", "n_gpus", "batch_size_per_gpu", "", "steps_per_s_aggregate"},
		{"cmdare-p100", "papers/cmdare/testdata/cmdare_cluster_speed_summary.csv", "model", "gpu", "n_workers", "", "n_ps", "author_mean_steps_per_s"},
	} {
		p, err := PublishedMeasured(c.name)
		if err != nil {
			t.Fatal(err)
		}
		steps := map[string]float64{}
		for _, r := range testutil.Rows(t, c.table) {
			cell := func(name string) string { return r[name] }
			if place := cell("placement"); place != "" && place != "consolidated" || strings.Contains(cell("source"), "simulation") {
				continue
			}
			n, _ := strconv.ParseFloat(cell(c.gpus), 64)
			v, _ := strconv.ParseFloat(cell(c.all), 64)
			steps[strings.ToLower(strings.Join([]string{cell(c.model), cell(c.gpu), cell(c.gpus), cell(c.batch), cell(c.ps)}, " "))] = n / v
		}
		for _, m := range p.Rows {
			batch, ps := "", ""
			if c.batch != "" {
				batch = strconv.Itoa(m.Batch)
			}
			if c.ps != "" {
				ps = strconv.Itoa(m.ParameterServers)
			}
			key := strings.ToLower(fmt.Sprintf("%s %s %d %s %s", m.Model, m.GPU, m.GPUs, batch, ps))
			if want := steps[key]; check.Off(m.StepS/want, 1, 1e-5) {
				t.Errorf("%s, %s: %v s, published %v", c.name, key, m.StepS, want)
			}
		}
	}
}
