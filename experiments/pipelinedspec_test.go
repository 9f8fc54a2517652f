package experiments

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// pipes is a spec of a pipelined job on recorded machines; the folder has its
// files.
func pipes(t *testing.T) (dir, text string, write func(name, text string)) {
	dir, write = ownModel(t)
	write("steps.csv", "pipelines,stages,samples,step_s\n1,2,10,10\n2,2,10,5\n")
	write("layers.csv", "layer,forward_s,backward_s,weight_bytes,activation_bytes,output_bytes\na,1,2,4e9,1e9,1e8\nb,1,2,4e9,1e9,1e8\n")
	write("prices.json", `{"SpotPriceHistory": [
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "3.600000", "Timestamp": "2024-01-02T00:00:00.000Z"},
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "3.600000", "Timestamp": `+
		`"2024-01-01T00:00:00.000Z"}]}`)
	write("events.csv", "0,add,a\n0,add,b\n0,add,c\n0,add,d\n1000000,remove,d\n86400000,remove,a\n")
	return dir, `name: pipes
model:
  pipelined:
    samples: 3000
    throughput: {table: steps.csv}
    recovery: {restart_s: 50, save_s: 100}
objectives: [{time_s: 4000}]
policies: [{name: checkpoint, settings: {interval_s: 600}}]
market:
  boot: {median_s: 0}
  billing: {increment_s: 0, minimum_s: 0}
  traces:
    - {name: prices, path: prices.json}
    - {name: events, path: events.csv}
  pools:
    - {type: x.large, quota: 4, prices: {trace: prices}, capacity: {trace: events}, replay: {adapter: per_event, notice_s: 0}}
`, write
}

// By hand: two x two stages train 2 samples/s, one trains 1. The save
// at 600 s takes 100 s; at 1000 s one of four instances is gone and the 600
// samples since the save with it: one pipeline goes on at 1050 s from 1200
// samples and saves every 600 s (2 saves) while it trains 1800 samples, the
// first of which are done again. It is at 3000 after 1050 + 1800 + 2*100.
// Four instances at 0.001 $/s until 1000 s, three (one a spare) from then on.
func TestPipelinedSpecByHand(t *testing.T) {
	dir, text, write := pipes(t)
	write("spec.yaml", text)
	r := runStudy(t, study(t, filepath.Join(dir, "spec.yaml"), 1)).Summaries[0]
	check := near.Count(t)
	end := 1050 + 1800 + 2*100.0
	if !r.Met || check.Off(*r.FinishS, end, 1e-4) || check.Off(r.CostUSD, 4+3*(end-1000)*0.001, 1e-4) || r.CostPSUSD != 0 || r.Preemptions != 1 {
		t.Errorf("%+v, finish %v", r, *r.FinishS)
	}
	// 600 samples were trained on four instances in 300 s, and are again on two in 600 s.
	if check.Off(3600*r.LostH, 2*600, 1e-4) || check.Off(3600*r.CheckpointingH, 4*100+2*2*100, 1e-4) || check.Off(3600*r.RestoringH, 2*50, 1e-4) {
		t.Errorf("redone %v, checkpointing %v, restoring %v h", 3600*r.LostH, 3600*r.CheckpointingH, 3600*r.RestoringH)
	}
}

const byMigration = "loss: migrated, migration: {layers: layers.csv, link_gb_per_s: 10, rendezvous_s: 10, regroup_s: 5, build_s: 20}"

// By hand: two x two stages train 2 samples/s until 1000 s, when one
// instance is gone at the end of a step. One pipeline trains the other 1000 after
// 5 s. A parameter server is there all the time.
func TestMigratedSpecByHand(t *testing.T) {
	dir, text, write := pipes(t)
	text = strings.NewReplacer("restart_s: 50, save_s: 100", byMigration, "name: checkpoint, settings: {interval_s: 600}", "name: parcae-reactive").Replace(text)
	write("spec.yaml", text)
	r := runStudy(t, study(t, filepath.Join(dir, "spec.yaml"), 1)).Summaries[0]
	check := near.Count(t)
	const end = 1000 + 5 + 1000.0
	if !r.Met || check.Off(*r.FinishS, end, 1e-4) || check.Off(r.CostSpotUSD, 4+3*(end-1000)*0.001, 1e-4) ||
		check.Off(r.CostPSUSD, 0.192*end/3600, 1e-4) || check.Off(3600*r.ReconfiguringH, 2*5, 1e-4) {
		t.Errorf("%+v, finish %v", r, *r.FinishS)
	}
}

func TestBadMigrations(t *testing.T) {
	dir, text, write := pipes(t)
	write("broken.csv", "pipelines,stages,samples,step_s\n1,2,10.5,10\n")
	text = strings.NewReplacer("restart_s: 50, save_s: 100", byMigration, "name: checkpoint, settings: {interval_s: 600}", "name: parcae").Replace(text)
	if _, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, says string }{
		{"loss: migrated, ", "", "migration: expected only with loss: migrated; it is absent"},
		{", migration: {layers: layers.csv, link_gb_per_s: 10, rendezvous_s: 10, regroup_s: 5, build_s: 20}", "", "migration is missing: loss: migrated needs it"},
		{"loss: migrated,", "loss: migrated, restart_s: 5,", "expected only save_s"},
		{"link_gb_per_s: 10, ", "", "link_gb_per_s is missing"},
		{"regroup_s: 5", "regroup_s: -5", "regroup_s: -5, expected 0 to 86400"},
		{"layers: layers.csv,", "layers: layers.csv, published: bert,", "expected one of published and layers"},
		{"layers: layers.csv, link_gb_per_s: 10, rendezvous_s: 10, regroup_s: 5, build_s: 20", "published: lenet", `network "lenet", expected one of bert`},
		{"layers: layers.csv, link_gb_per_s: 10, rendezvous_s: 10, regroup_s: 5, build_s: 20", "published: gpt-1.5b", "a speed of 1 x 2, expected one of [6 7"},
		{"build_s: 20", "build_s: 20, server_share: 1", "parameter servers take 1 of the speed"},
		{"steps.csv", "broken.csv", "steps of 10.5 samples, expected a whole number of them"},
		{"name: parcae", "name: varuna", "policy varuna: it needs a pipelined model that restarts, but recovery.loss is migrated"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Fatalf("the spec has no %q", c.old)
		}
		if _, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(changed)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.new, err, c.says)
		}
	}
}

// Parcae plans for fleets of a size that its tables bear.
func TestPlannedFleet(t *testing.T) {
	dir, text, write := pipes(t)
	write("steps.csv", "pipelines,stages,samples,step_s\n1,2,10,10\n300,2,10,5\n")
	text = strings.NewReplacer("restart_s: 50, save_s: 100", byMigration, "name: checkpoint, settings: {interval_s: 600}", "name: parcae", "quota: 4,",
		"quota: 1000,",
		"table: steps.csv", "table: steps.csv, interpolate: true").Replace(text)
	_, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(text))
	if err == nil || !strings.Contains(err.Error(), "it plans for at most 512 instances, but may hold 600: set instances") {
		t.Error(err)
	}
	if _, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(strings.Replace(text, "name: parcae", "name: parcae, settings: {instances: 100}",
		1))); err != nil {
		t.Error(err)
	}
}

// Each is refused, with a message that says what was expected.
func TestBadPipelinedSpecs(t *testing.T) {
	dir, text, write := pipes(t)
	write("holes.csv", "pipelines,stages,samples,step_s\n1,1,10,10\n4,1,10,5\n")
	write("deep.csv", "pipelines,stages,samples,step_s\n1,5,10,10\n")
	for _, c := range []struct{ old, new, says string }{
		{"steps.csv", "holes.csv", "gap: no step time for 2 x 1, 3 x 1 (pipelines x stages); interpolate: true fills it"},
		{"steps.csv", "deep.csv", "the smallest layout of the throughput has 5 instances, but it may hold at most 4"},
		{"steps.csv", "nowhere.csv", "nowhere.csv"},
		{"table: steps.csv", "table: steps.csv, published: bamboo-bert", "expected one of published, table and layers"},
		{"table: steps.csv", "published: bamboo", `unknown published throughput "bamboo", expected one of: bamboo-alexnet`},
		{"table: steps.csv", "table: steps.csv, batch: 4", "batch: 4, expected only with layers"},
		{"table: steps.csv", "layers: layers.csv, micro_batch: 1, batch: 4, memory_gb: 1, link_gb_per_s: 1", "the model fits at no depth"},
		{"table: steps.csv", "layers: layers.csv, micro_batch: 1, batch: 4, link_gb_per_s: 1", "memory of 0 bytes"},
		{"table: steps.csv", "layers: layers.csv, micro_batch: 1, batch: 4, schedule: zb, memory_gb: 40, link_gb_per_s: 1",
			`schedule: "zb", expected gpipe, 1f1b or varuna`},
		{"interval_s: 600", "interval_s: 0", "interval_s is 0, expected more than 0"},
		{"interval_s: 600", "instances: 1", "has 2 instances, but it may hold at most 1"},
		{"quota: 4", "quota: 1, on_demand_quota: 4, on_demand_usd_per_h: 1", "has 2 instances, but it may hold at most 1"},
		{"settings: {interval_s: 600}", "recovery: {loss: restarts}", "the interval of the rule is 0"},
		{"restart_s: 50", "loss: hidden", `recovery.loss: "hidden", expected restarts,`},
		{"restart_s: 50", "restart_s: -1", "restart_s: -1, expected 0 to 86400"},
		{"restart_s: 50", "loss: covered", "policy checkpoint: it needs a pipelined model that restarts, but recovery.loss is covered"},
		{"name: checkpoint, settings: {interval_s: 600}", "name: spotdnn", "policy spotdnn needs a model of workers, but the model is pipelined"},
		{"time_s: 4000", "loss: 0.5, time_s: 4000", "expected none: the job trains all its samples"},
		{"samples: 3000", "samples: 0", "samples: 0, expected more than 0 and at most 1e15"},
		{"samples: 3000", "samples: 3000\n    steps: 5", "expected one of samples and steps, not both"},
		{"increment_s: 0", "skip_parameter_servers: true", "no policy uses one"},
		{"model:", "model:\n  published: spotdnn-resnet110", "expected pipelined or published, not both"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Fatalf("the spec has no %q", c.old)
		}
		_, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(changed))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.new, err, c.says)
		}
	}
	onDemand := strings.NewReplacer("quota: 4", "quota: 4, on_demand_quota: 1, on_demand_usd_per_h: 1", "name: checkpoint, settings: {interval_s: 600}",
		"name: ondemand").Replace(text)
	if _, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(onDemand)); err == nil ||
		!strings.Contains(err.Error(), "policy ondemand: the smallest layout of the throughput has 2 instances, but it may hold at most 1") {
		t.Error(err)
	}
	_, err := spec.Parse("x.yaml", []byte("name: x\nmodel: {published: spotdnn-resnet110}\nobjectives: [{loss: 0.8, time_s: 60}]\npolicies: "+
		"[{name: bamboo}]\nmarket: {synthetic: {}, pools: [{type: p3.2xlarge, quota: 1, on_demand_usd_per_h: 3}]}\n"))
	if err == nil || !strings.Contains(err.Error(), "policy bamboo needs a pipelined model whose losses are covered, but the model is asynchronous") {
		t.Error(err)
	}
}

// What is wrong with a table is told at the key that names it, also of a policy
// that has its own; what is missing, at the model.
func TestPipelinedErrorPlaces(t *testing.T) {
	dir, text, write := pipes(t)
	write("bad.csv", "pipelines,stages,samples,step_s\n1,1,10,x\n")
	for _, c := range []struct{ old, new, key, says string }{
		{"throughput: {table: steps.csv}", "throughput: {table: bad.csv}", "throughput: {table: bad", "model.pipelined.throughput: "},
		{"restart_s: 50", "restart_s: -1", "restart_s", "model.pipelined.recovery.restart_s: "},
		{"settings: {interval_s: 600}", "throughput: {table: bad.csv}", "throughput: {table: bad", "policies[0].throughput: policy checkpoint: "},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		line := 1 + strings.Count(changed[:strings.Index(changed, c.key)], "\n")
		_, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(changed))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("spec.yaml:%d:", line)) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want line %d and %q", c.new, err, line, c.says)
		}
	}
	none := strings.Replace(text, "    throughput: {table: steps.csv}\n", "", 1)
	if _, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(none)); err == nil ||
		!strings.Contains(err.Error(), "spec.yaml:4:12: model.pipelined: throughput is missing") {
		t.Error(err)
	}
}

// Without policies those run that are made for what a loss does.
func TestPipelinedDefaultPolicies(t *testing.T) {
	dir, text, _ := pipes(t)
	text = strings.Replace(text, "policies: [{name: checkpoint, settings: {interval_s: 600}}]\n", "", 1)
	for loss, want := range map[string]string{
		"restarts":       "checkfreq checkpoint greedy time-sliced uniform-progress varuna",
		"covered":        "bamboo greedy time-sliced uniform-progress",
		"reinstantiated": "greedy oobleck time-sliced uniform-progress",
		"migrated, migration: {layers: layers.csv, link_gb_per_s: 1}": "greedy parcae parcae-reactive parcae-robust throughput-optimal time-sliced uniform-progress",
	} {
		s, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(strings.Replace(text, "restart_s: 50, save_s: 100", "save_s: 100, loss: "+loss, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range s.Policies {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", loss, got, want)
		}
	}
}

// What is interpolated is said in every row, and what is computed can be run.
func TestPipelinedSources(t *testing.T) {
	dir, text, write := pipes(t)
	write("holes.csv", "pipelines,stages,samples,step_s\n1,1,10,10\n4,1,10,5\n")
	for source, says := range map[string]string{
		"table: holes.csv, interpolate: true": "interpolated, not measured: the throughput of 2 x 1, 3 " +
			"x 1 (pipelines x stages)",
		"layers: layers.csv, micro_batch: 1, batch: 4, memory_gb: 20, link_gb_per_s: 10": "",
	} {
		write("spec.yaml", strings.Replace(text, "table: steps.csv", source, 1))
		r := runStudy(t, study(t, filepath.Join(dir, "spec.yaml"), 1)).Summaries[0]
		if r.Samples == 0 || !strings.Contains(r.Warnings, says) {
			t.Errorf("%s: %v samples, warnings %q", source, r.Samples, r.Warnings)
		}
	}
}

// The five ways to live with losses that come as a spec all train on one market.
func TestShrinkingFleet(t *testing.T) {
	set := runStudy(t, study(t, "specs/shrinking-fleet.yaml", 3))
	goldenTotals(t, "shrinking-fleet", set)
	preempted := map[string]int64{}
	for _, r := range set.Summaries {
		preempted[r.Policy] += r.Preemptions
		if r.Samples == 0 {
			t.Errorf("%s, seed %d: nothing was trained", r.Policy, r.Seed)
		}
	}
	for policy, n := range preempted {
		if n == 0 {
			t.Errorf("%s was never preempted", policy)
		}
	}
}

// A deadline policy that cannot go on demand says so, and one that can does not.
// Where it is not told how many instances to take it depends on the time: two take
// 3000 s, 500 s of saves and two changeovers of 360 s, 8 polls of 600 s, and would
// begin after the first.
func TestWarnsOfNoSafetyNet(t *testing.T) {
	dir, text, write := pipes(t)
	for _, c := range []struct {
		settings, time, quota, says string
	}{
		{", settings: {instances: 4}", "4000", "3", "no on-demand fallback: it uses 4 instances at once, but on_demand_quota is 3"},
		{", settings: {instances: 4}", "4000", "4", ""},
		{", settings: {changeover_s: 360}", "6000", "1", "no on-demand fallback: it uses 2 instances at once, but on_demand_quota is 1"},
		{", settings: {changeover_s: 360}", "6000", "2", ""},
		{", settings: {changeover_s: 360}", "5399", "3", "no on-demand fallback: it uses 4 instances at once, but on_demand_quota is 3"},
		{", settings: {changeover_s: 360}", "5399", "4", ""},
	} {
		text := strings.NewReplacer("{name: checkpoint, settings: {interval_s: 600}}", "{name: greedy"+c.settings+
			"}, {name: checkpoint, settings: {interval_s: 600}}",
			"time_s: 4000", "time_s: "+c.time, "quota: 4,", "quota: 4, on_demand_usd_per_h: 9, on_demand_quota: "+c.quota+",").Replace(text)
		write("spec.yaml", text)
		for _, r := range runStudy(t, study(t, filepath.Join(dir, "spec.yaml"), 1)).Summaries {
			if got := strings.Contains(r.Warnings, "no on-demand fallback"); got != (c.says != "" && r.Policy == "greedy") || got &&
				!strings.Contains(r.Warnings, c.says) {
				t.Errorf("%+v, %s: %q", c, r.Policy, r.Warnings)
			}
		}
	}
}

// A run that stops for longer than a quarter of its instance-hours to save says so:
// 100 s after every 100 s of training, not after every 300 s.
func TestWarnsOfManySaves(t *testing.T) {
	check := near.Count(t)
	dir, text, write := pipes(t)
	for interval, warned := range map[string]bool{"100": true, "300": false} {
		write("spec.yaml", strings.Replace(text, "interval_s: 600", "interval_s: "+interval, 1))
		set := runStudy(t, study(t, filepath.Join(dir, "spec.yaml"), 1))
		r, a := &set.Summaries[0], Aggregates(set.Summaries)[0]
		if strings.Contains(r.Warnings, "saves took more than a quarter") != warned || a.SavingShare > MuchSaving != warned ||
			check.Off(a.SavingShare, r.CheckpointingH/r.InstanceH, 1e-12) {
			t.Errorf("every %s s: %v of %v h, %q", interval, r.CheckpointingH, r.InstanceH, r.Warnings)
		}
	}
}

// A price is assumed where none was recorded, which results say; beside recorded
// prices, or of capacity, it is an error.
func TestAssumedPrice(t *testing.T) {
	dir, text, write := pipes(t)
	open := func(prices, capacity string) (*Study, error) {
		write("spec.yaml", strings.Replace(text, "prices: {trace: prices}, capacity: {trace: events}", "prices: {trace: "+prices+
			"}, capacity: {trace: "+capacity+"}", 1))
		s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
		if err != nil {
			return nil, err
		}
		return NewStudy(s)
	}
	for says, c := range map[string][2]string{
		"the trace has prices":                 {"prices, usd_per_h: 2", "events"},
		"capacity.usd_per_h: 2, expected none": {"events, usd_per_h: 2", "events, usd_per_h: 2"},
		"usd_per_h: -1, expected 0 to 10000":   {"events, usd_per_h: -1", "events"},
		"no price was recorded, expected Flat": {"events", "events"},
		"\"nobody\" is not among the traces":   {"nobody, usd_per_h: 2", "events"},
	} {
		if _, err := open(c[0], c[1]); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", c, err)
		}
	}
	study, err := open("events, usd_per_h: 2", "events")
	if err != nil {
		t.Fatal(err)
	}
	r := runStudy(t, study).Summaries[0]
	if !strings.Contains(r.Replay, "prices assumed, 2 USD/h") || r.CostSpotUSD < 1.9*r.InstanceH || r.InstanceH == 0 {
		t.Errorf("%q: %v USD for %v h", r.Replay, r.CostSpotUSD, r.InstanceH)
	}
}
