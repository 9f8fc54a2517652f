package stalls

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// folder writes what the profiler would of two networks on one GPU: VGG-19, whose
// memory and steps are lines but for one batch, and ResNet-50 at half of Gavel's
// times on a V100. Layers are 19 alike of VGG-19.
func folder(t *testing.T, layerS float64) string {
	t.Helper()
	dir := t.TempDir()
	gavel, err := fit.PublishedMeasured("gavel-resnet50")
	if err != nil {
		t.Fatal(err)
	}
	runs := "model,gpu,gpus,batch_per_gpu,step_time_s,memory_mb,gpu_memory_gb,source\n"
	for _, batch := range []int{8, 16, 32, 64} {
		runs += fmt.Sprintf("vgg-19,X1,1,%d,%v,%d,16,test\n", batch, .01+.002*float64(batch), 2000+50*batch)
	}
	runs += "vgg-19,X1,8,64,0.5,5200,16,test\n"
	for _, r := range gavel.Rows {
		if r.GPU == "V100" && r.GPUs == 1 {
			runs += fmt.Sprintf("resnet-50,X1,1,%d,%v,,16,test\n", r.Batch, r.StepS/2)
		}
	}
	layers := "layer,forward_s,backward_s,weight_bytes,activation_bytes,output_bytes\n"
	for i := range 19 {
		layers += fmt.Sprintf("%d,%v,%v,0,1e6,0\n", i, layerS, 2*layerS)
	}
	for name, text := range map[string]string{
		"fp32.runs.csv":              runs,
		"vgg-19-fp32-16.layers.csv":  layers,
		"vgg-19-fp32-999.layers.csv": "of a batch that was not measured",
		"measurements.csv": "quantity,model,precision,batch_per_gpu,value,note\n" +
			"layers_over_forward_and_backward,vgg-19,fp32,16,0.97,\nlargest_batch,vgg-19,fp32,,181,\nmemory_for_torch_mb,vgg-19,fp32,,11040,\n" +
			"epoch_synthetic_s,vgg-19,fp32,16,8,\nepoch_warm_s,vgg-19,fp32,16,10,\nepoch_cold_s,vgg-19,fp32,16,16,\n" +
			"step_s,vgg-19,bf16,8,,refused\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func summaries(t *testing.T, layerS float64) []Summary {
	t.Helper()
	list, err := OpenSummaries(folder(t, layerS))
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	return list
}

// Lines are found and predict what was left out; the largest batch is off by the
// one that it was given; GPUs twice as fast are so.
func TestSummary(t *testing.T) {
	check := near.Count(t)
	list := summaries(t, 1e-3)
	vgg, resnet := list[0], list[1]
	off := func(a, b float64) bool { return check.Off(a, b, 1e-9) }
	if s := vgg.Step; vgg.Model != "vgg-19" || vgg.Precision != "fp32" || fmt.Sprint(vgg.Batches) != "[8 16 32 64]" || off(s.A, .01) || off(s.B, .002) ||
		check.Above(s.Worst, 1e-9) {
		t.Errorf("%+v, %+v", vgg, s)
	}
	if m, l := vgg.Memory, vgg.Largest; off(m.A/2000, 1) || off(m.B/50, 1) || check.Above(m.Worst, 1e-9) || l.Measured != 181 || l.Predicted != 180 {
		t.Errorf("%+v, %+v", m, l)
	}
	if l := vgg.Layers; len(l) != 1 || l[0].Batch != 16 || l[0].Ratio != .97 {
		t.Errorf("%+v", l)
	}
	if d := vgg.Stalls; d == nil || d.Batch != 16 || off(d.CPU, .2) || off(*d.Disk, .375) || resnet.Stalls != nil {
		t.Errorf("%+v, %+v", d, resnet.Stalls)
	}
	if resnet.Memory != nil || resnet.Largest != nil || len(resnet.Ratios) != 4 ||
		resnet.Ratios[3].Than != "H100, h100/fp32" || resnet.Ratios[2].Than != "V100, gavel-resnet50" ||
		off(resnet.Ratios[2].Times, 2) {
		t.Errorf("%+v", resnet)
	}
	if check.Outside(resnet.Step.Mean, .0145, .015) { // as TestLeaveOutGavel has it
		t.Errorf("%+v", resnet.Step)
	}
}

// Pipelines whose layers take twice as long, and have nothing to exchange, are
// half as fast.
func TestSummaryPipelines(t *testing.T) {
	check := near.Count(t)
	times := func(layerS float64) float64 {
		r := summaries(t, layerS)[0].Ratios
		if len(r) != 2 || r[0].Than != "H100, h100/fp32" || r[1].Than != "V100, Parcae" || r[1].Of != "48 layouts of pipelines, computed from layers of 16 samples" {
			t.Fatalf("%+v", r)
		}
		return r[1].Times
	}
	if a, b := times(1e-3), times(2e-3); check.Off(a/b, 2, 1e-6) || !(a > 0) {
		t.Errorf("%v and %v times as fast", a, b)
	}
}

// What is not a folder of the profiler, or not whole, is an error that says so.
func TestSummaryErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"fp32.runs.csv":             {"", "no file *.runs.csv, expected a folder written by calibrate/profiler"},
		"measurements.csv":          {"quantity,model,precision,batch_per_gpu,value\nx,,,,\n", "has no layers_over_forward_and_backward of batch 16"},
		"vgg-19-fp32-16.layers.csv": {"layer\n", "no column"},
	} {
		dir := folder(t, 1e-3)
		path := filepath.Join(dir, name)
		err := os.Remove(path)
		if err == nil && c.text != "" {
			err = os.WriteFile(path, []byte(c.text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSummaries(dir); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, expected %s", name, err, c.says)
		}
	}
	dir := folder(t, 1e-3)
	if err := os.Remove(filepath.Join(dir, "measurements.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSummaries(dir); err == nil || !strings.Contains(err.Error(), "measurements.csv") {
		t.Errorf("got %v", err)
	}
}

// The H100 and the H200 that come with marigram predict as their READMEs say. Steps and memory are the largest
// errors of a batch that was left out, layers those of their sum.
func TestOwnProfiles(t *testing.T) {
	check := near.Count(t)
	for _, p := range []struct {
		profile                                  string
		lines, exact                             int
		mean, step, memory, large, layers, batch float64
	}{
		{"h100/bf16", 6, 3, .034, .054, .015, .073, .0105, .018},
		{"h100/tf32", 6, 0, .037, .078, .008, .187, .0105, .018},
		{"h100/fp32", 7, 0, .048, .122, .383, .26, .0105, .018},
		{"h200/bf16", 4, 0, .028, .044, .003, .073, .0175, .0515},
	} {
		list, err := OpenSummaries(filepath.Join("..", "facts", p.profile+".runs.csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines, exact := 0, 0
		for _, s := range list {
			for _, l := range s.Layers {
				if check.Off(l.Ratio, 1, p.layers) {
					t.Errorf("%s: layers make %v of the whole", l.File, l.Ratio)
				}
			}
			if s.Step == nil {
				continue
			}
			lines++
			memory := p.memory
			if s.Model == "gpt2-1.5b" {
				memory = p.large
			}
			if check.Above(s.Step.Mean, p.mean) || check.Above(s.Step.Worst, p.step) || check.Above(s.Memory.Worst, memory) {
				t.Errorf("%s, %s: step %+v, memory %+v", s.Model, p.profile, s.Step, s.Memory)
			}
			if s.Largest == nil {
				continue
			}
			if s.Largest.Measured == s.Largest.Predicted {
				exact++
			}
			if check.Off(float64(s.Largest.Predicted), float64(s.Largest.Measured), p.batch*float64(s.Largest.Measured)) {
				t.Errorf("%s: %+v", s.Model, s.Largest)
			}
		}
		if lines != p.lines || exact != p.exact {
			t.Errorf("%s: %d networks with a line, %d with the largest batch as predicted", p.profile, lines, exact)
		}
	}
}
