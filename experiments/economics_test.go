package experiments

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// onDisk trains ten epochs of Marius's Freebase86m (Table 5: 16 partitions, 162 and 136 min).
const onDisk = `name: on-disk
model:
  data_parallel:
    samples: 3382000000
    batch_per_worker: 50000
    measured: [{type: p3.2xlarge, workers: 1, samples_per_s: 436950.9}]
    restart_s: 300
    out_of_core: {size_gb: 68.8, samples_per_epoch: 338200000, machines: [{type: p3.2xlarge, disk_gb_per_s: 0.4, %s}]}
objectives: [{time_s: 36000}]
policies: [{name: ondemand}]
market:
  boot: {median_s: 0, sigma: 0}
  synthetic: {zones: 1, machines: 1}
  pools: [{type: p3.2xlarge, quota: 1, on_demand_quota: 1, on_demand_usd_per_h: 3.06}]
`

// A run takes as long, and costs as much, as the closed forms of its epochs: 39 and 16
// partitions read and written back at 400 MB/s, or the compute of 774 s.
func TestOutOfCore(t *testing.T) {
	check := near.Count(t)
	for machine, epoch := range map[string]float64{
		"partitions: 16, buffer: 4": 2 * (4 + 42) * 4.3 / 0.4,
		"partitions: 16, buffer: 8": 774,
		"memory_gb: 40":             774,
		"memory_gb: 100":            774,
	} {
		study, err := studyOf(fmt.Sprintf(onDisk, machine))
		if err != nil {
			t.Fatal(err)
		}
		r := runStudy(t, study).Summaries[0]
		if check.OffRel(*r.FinishS, (10*epoch), 1e-6) || check.OffRel(r.CostUSD, (10*epoch/3600*3.06), 1e-3) {
			t.Errorf("%s: %v s, %v USD, want ten epochs of %v s", machine, *r.FinishS, r.CostUSD, epoch)
		}
		if !strings.Contains(r.Warnings, "by a formula") {
			t.Errorf("%s: warnings %q", machine, r.Warnings)
		}
	}
}

func TestOutOfCoreRefuses(t *testing.T) {
	good := fmt.Sprintf(onDisk, "partitions: 16, buffer: 4")
	for _, c := range []struct{ old, with, want string }{
		{"buffer: 4", "buffer: 1", "a buffer of 1"},
		{", buffer: 4", "", "machines[0]: expected one of buffer and memory_gb; none is given"},
		{"partitions: 16, ", "", "buffer: 4, expected only with partitions"},
		{"buffer: 4", "memory_gb: 1e10", "memory_gb: 1e+10, expected 0 to 1e9"},
		{"size_gb: 68.8", "size_gb: 0", "size_gb: 0, expected more than 0"},
		{"samples_per_epoch: 338200000", "samples_per_epoch: 0", "samples_per_epoch: 0, expected more than 0"},
		{"disk_gb_per_s: 0.4", "disk_gb_per_s: -1", "disk_gb_per_s: -1, expected more than 0"},
		{"size_gb: 68.8", "size_gb: 68.8, once: true", "only read"},
		{"size_gb: 68.8", "size_gb: 68.8, group: 3", "multiples of 3"},
		{"[{type: p3.2xlarge, disk", "[{type: g5.xlarge, disk", "no measured speed of g5.xlarge"},
		{"restart_s: 300", "workers: {max: 4}", "it trains on one worker"},
	} {
		if _, err := spec.Parse("x.yaml", []byte(strings.Replace(good, c.old, c.with, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.with, err, c.want)
		}
	}
}

// Two stages of 3 s a micro-batch that send 1e8 bytes at 1e8 bytes/s: with a tenth of the
// bytes a step is faster by what sending takes less, but for what encoding adds.
func TestCompressionBetweenStages(t *testing.T) {
	check := near.Count(t)
	dir, text, write := pipes(t)
	speed := func(compression string) (float64, string) {
		const layers = "layers: layers.csv, micro_batch: 1, batch: 1, memory_gb: 20, link_gb_per_s: 0.1, state_factor: 4"
		write("c.yaml", strings.Replace(text, "table: steps.csv", layers+compression, 1))
		s, err := spec.Open(filepath.Join(dir, "c.yaml"))
		if err != nil {
			t.Fatal(compression, err)
		}
		models, err := s.Models()
		if err != nil {
			t.Fatal(err)
		}
		r := runStudy(t, study(t, filepath.Join(dir, "c.yaml"), 1)).Summaries[0]
		return r.Samples / r.UsefulH, strings.Join(models[0].Warnings, "; ")
	}
	plain, _ := speed("")
	const code = ", compression: {kind: autoencoder, size: 100, hidden: 1000, sequence: 100, tflop_per_s: %s, stages: true}"
	fast, warning := speed(fmt.Sprintf(code, "1e3"))
	// one micro-batch: forward 2 x 1 s and backward 2 x 2 s, sent twice, 1 s each
	if want := 8 / (6 + 0.2 + 6*2e7/1e15); check.OffRel(fast/plain, want, 1e-6) {
		t.Errorf("%v times as fast, want %v", fast/plain, want)
	}
	if !strings.Contains(warning, "accuracy is not modelled") || !strings.Contains(warning, "0.1 of the bytes") {
		t.Errorf("warning %q", warning)
	}
	slow, _ := speed(fmt.Sprintf(code, "1e-5")) // encoding takes 2 s, decoding, too, and twice that backward
	if want := 8 / (6 + 0.2 + 12.); check.OffRel(slow/plain, want, 1e-6) {
		t.Errorf("%v times as fast, want %v", slow/plain, want)
	}
	ranks, _ := speed(", compression: {kind: quantise, size: 2, hidden: 1000, sequence: 100, tflop_per_s: 100, ranks: {count: 4, all_reduces: " +
		"4, link_gb_per_s: 1}}")
	if !(ranks > plain) {
		t.Errorf("ranks within an instance: %v samples an hour, without compression %v", ranks, plain)
	}
}

func TestCompressionRefuses(t *testing.T) {
	dir, text, write := pipes(t)
	const layers = "layers: layers.csv, micro_batch: 1, batch: 1, memory_gb: 20, link_gb_per_s: 0.1, compression: {%s}"
	for _, c := range []struct{ with, want string }{
		{"table: steps.csv, compression: {kind: topk}", "expected speedup alone"},
		{"table: steps.csv, compression: {speedup: -1}", "expected speedup alone"},
		{fmt.Sprintf(layers, "speedup: 2"), "size above 0"},
		{fmt.Sprintf(layers, "kind: zip, size: 1, stages: true"), `compression.kind: "zip", expected autoencoder, topk or quantise`},
		{fmt.Sprintf(layers, "kind: topk, size: 2, stages: true"), "at most 1"},
		{fmt.Sprintf(layers, "kind: topk, size: 0.1, stages: true"), "hidden 0"},
		{fmt.Sprintf(layers, "kind: topk, size: 0.1, hidden: 10, sequence: 10, stages: true"), "tflop_per_s 0"},
		{fmt.Sprintf(layers, "kind: topk, size: 0.1, hidden: 10, sequence: 10, tflop_per_s: 1"), "nothing is compressed"},
		{fmt.Sprintf(layers, "kind: topk, size: 0.1, hidden: 10, sequence: 10, tflop_per_s: 1, ranks: {count: 1}"), "ranks.count: 1, expected at least 2"},
	} {
		write("c.yaml", strings.Replace(text, "table: steps.csv", c.with, 1))
		if _, err := spec.Open(filepath.Join(dir, "c.yaml")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.with, err, c.want)
		}
	}
	write("c.yaml", strings.Replace(text, "table: steps.csv", "table: steps.csv, compression: {speedup: 1.5}", 1))
	r := runStudy(t, study(t, filepath.Join(dir, "c.yaml"), 1)).Summaries[0]
	if !strings.Contains(r.Warnings, "multiplied by 1.5, which is assumed") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

const sessionsSpec = `name: own-sessions
model:
  notebooks: {sessions: sessions.csv}
objectives: [{within: 12h}]
policies: [%s]
market:
  boot: {median_s: 0, sigma: 0}
  billing: {increment_s: 0, minimum_s: 0}
  synthetic: {zones: 1, machines: 8}
  pools:
    - {type: p3.16xlarge, quota: 8, on_demand_quota: 8, on_demand_usd_per_h: 24}
`

// By hand: one host on demand from the beginning, both sessions fit, and a cell that is due
// while the one before runs waits for it. What reservations take is 2 x 4 + 4 x 3 GPU-h.
func TestNotebooks(t *testing.T) {
	check := near.Count(t)
	dir, write := ownModel(t)
	write("sessions.csv", "session,event,start_s,duration_s,gpus\n0,session,0,14400,2\n0,cell,600,1200,2\n0,cell,1500,600,1\n1,session,1800,"+
		"10800,4\n1,cell,2400,3000,4\n")
	path := func(policies string) string {
		write("sessions.yaml", fmt.Sprintf(sessionsSpec, policies))
		return filepath.Join(dir, "sessions.yaml")
	}
	r := runStudy(t, study(t, path("{name: notebook-ondemand, settings: {min_hosts: 1, buffer: 0}}"), 1)).Summaries[0]
	if r.Cells != 3 || r.CellsLost != 0 || *r.ReservedGPU != 20 || check.Off(*r.ActiveGPU, 15000./3600, 1e-9) || *r.ProvisionedGPU != 32 || *r.SavedGPU != -12 {
		t.Errorf("%+v: %v reserved, %v active, %v held", r, *r.ReservedGPU, *r.ActiveGPU, *r.ProvisionedGPU)
	}
	if !r.Met || *r.FinishS != 14400 || r.CostUSD != 4*24 || r.CostSpotUSD != 0 || *r.DelayMaxS != 0 || r.PeakHosts != 1 {
		t.Errorf("%+v: finished after %v s, longest delay %v s", r, *r.FinishS, *r.DelayMaxS)
	}
	if a := Aggregates([]results.Summary{r})[0].Notebooks; a == nil || a.Cells != 3 || a.SavedGPUH != -12 || a.CostOnDemandUSD != 96 {
		t.Errorf("%+v", a)
	}
	for _, c := range []struct{ old, with, want string }{
		{"{sessions: sessions.csv}", "{}", "expected one of published, sessions and template"},
		{"{sessions: sessions.csv}", "{published: z}", `no sessions "z"`},
		{"{sessions: sessions.csv}", "{sessions: sessions.csv, tick_s: 5}", "tick_s: 5, expected only with template"},
		{"{sessions: sessions.csv}", "{sessions: sessions.csv, from_h: 5}", "from_h: 5, expected only with hours"},
		{"{sessions: sessions.csv}", "{sessions: sessions.csv, host_gpus: 2}", "expected 0 <= start <= stop"},
		{"{sessions: sessions.csv}", "{template: sessions.csv}", "sessions.csv: template"},
		{"{sessions: sessions.csv}", "{sessions: none.csv}", "none.csv"},
		{"  notebooks:", "  published: spotdnn-resnet110\n  notebooks:", "expected notebooks or published, not both"},
		{"name: notebook-pool", "name: reactive", "the model is of sessions of notebooks"},
		{"name: notebook-pool", "name: safe:notebook-pool", "has no safe form"},
	} {
		text := strings.Replace(fmt.Sprintf(sessionsSpec, "{name: notebook-pool}"), c.old, c.with, 1)
		write("bad.yaml", text)
		if _, err := spec.Open(filepath.Join(dir, "bad.yaml")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.with, err, c.want)
		}
	}
	if _, err := spec.Parse("x.yaml", []byte(strings.Replace(fmt.Sprintf(onDisk, "memory_gb: 40"), "name: ondemand", "name: notebook-pool", 1))); err == nil ||
		!strings.Contains(err.Error(), "sessions of notebooks") {
		t.Errorf("a policy of notebooks for a job that trains: %v", err)
	}
}
