package spec

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/transformer"
)

// Task files of all forms become specs that are valid, and what is not in them is told.
func TestStarter(t *testing.T) {
	for _, c := range []struct {
		name, task string
		want       []string // in the spec
	}{
		{"plain", "name: My Job\nresources: {accelerators: 'A100:8', use_spot: true}\nnum_nodes: 2\n",
			[]string{"name: my-job", "type: p4d.24xlarge", "quota: 2", "workers: {min: 2, max: 2}", "steps: 86400", "within: 129600s"}},
		{"set", "resources:\n  accelerators: {L4, A10g, V100}\n", []string{"type: g2-standard-4"}},
		{"map", "resources:\n  accelerators: {H100: 8}\n", []string{"type: p5.48xlarge"}},
		{"counted set", "resources:\n  accelerators: {GB300:4, H100:8}\n", []string{"type: p5.48xlarge"}},
		{"any", "resources:\n  any_of:\n  - {accelerators: 'T4:4'}\n  - {accelerators: 'V100:4'}\n", []string{"type: g4dn.12xlarge"}},
		{"cloud", "resources: {cloud: GCP, accelerators: 'H100:8'}\n", []string{"type: a3-highgpu-8g", "cloud: gcp", "on_demand_usd_per_h: 88.49"}},
		{"infra", "resources: {infra: azure/eastus, accelerators: 'A100:8'}\n", []string{"type: Standard_ND96asr_v4", "cloud: azure"}},
		{"one of two clouds", "resources:\n  accelerators: 'H100:8'\n  any_of: [{cloud: lambda}, {cloud: gcp}]\n", []string{"type: a3-highgpu-8g"}},
		{"memory", "resources: {accelerators: 'A100-80GB:8'}\n", []string{"8 x A100"}},
		{"type", "resources: {instance_type: p3.16xlarge}\n", []string{"type: p3.16xlarge", "on_demand_usd_per_h: 24.48"}},
		{"unlisted number", "resources: {accelerators: 'L4:2'}\n", []string{"type: l4-x2", "on_demand_usd_per_h: 1.41366"}},
		{"network", "resources: {accelerators: 'H100:8'}\nnum_nodes: 8\nenvs: {MODEL: llama3_1_8b}\n",
			[]string{"samples: 7195910", "batch: 64", "workers: 8, samples_per_s: 83.286", "Cisco hpf_n8"}},
		{"network without speed", "resources: {accelerators: 'V100:4'}\nrun: train --model resnet50\n",
			[]string{"names resnet-50, which has no published speed on 4 V100", "steps_per_s: 1"}},
		{"recovery", "resources: {accelerators: 'V100:1', use_spot: true, disk_size: 500}\n",
			[]string{"{name: skypilot}, {name: skypilot-documented, policy: skypilot, settings: {strategy: as-documented}}, {name: karpenter}",
				"no region is blocked (skypilot #10021)", "mounts no bucket", "not used of resources: disk_size"}},
		{"failover", "resources: {accelerators: 'V100:1', use_spot: true, region: us-east-1, job_recovery: {strategy: failover, max_restarts_on_errors: 3}}\n" +
			"file_mounts: {/c: {name: b, mode: MOUNT}}\n",
			[]string{"{name: skypilot, settings: {regions: named, strategy: failover}}, {name: karpenter}", "max_restarts_on_errors and"}},
		{"spot, then on demand", "resources:\n  accelerators: 'V100:1'\n  spot_recovery: EAGER_FAILOVER\n  ordered: [{use_spot: true}, {use_spot: false}]\n",
			[]string{"{name: skypilot, settings: {resources: ordered}}, {name: skypilot-documented"}},
		{"regions in order", "resources:\n  accelerators: 'V100:1'\n  use_spot: true\n  ordered: [{infra: aws/us-east-1}, {infra: aws/us-west-2}]\n",
			[]string{"{name: skypilot, settings: {regions: ordered}}"}},
		{"spot or on demand", "resources:\n  accelerators: 'V100:1'\n  any_of: [{use_spot: true}, {use_spot: false}]\n",
			[]string{"{name: skypilot, settings: {resources: any_of}}"}},
		{"none", "resources: {accelerators: 'V100:1', use_spot: true, job_recovery: none}\nfile_mounts: {/c: {name: b}}\n",
			[]string{"{name: skypilot}, {name: skypilot-documented"}},
		{"nodes", "num_nodes: 4\nresources: {accelerators: 'V100:1', use_spot: true}\n",
			[]string{"ray-elastic is left out: speeds on fewer than 4 x p3.2xlarge are not known", "{name: karpenter}"}},
		{"dstack", "type: task\nname: tune\nnodes: 2\nresources: {gpu: 'V100:16GB:4'}\nspot_policy: spot\nmax_price: 3.5\nidle_duration: 10m\n" +
			"retry: {on_events: [interruption, no-capacity], duration: 4h}\nregions: [us-east-1, us-east-2]\ncommands: [python train.py]\n",
			[]string{"{name: dstack, settings: {spot_policy: spot, max_price: 3.5, idle_s: 600, retry: true, " +
				"retry_on: no-capacity+interruption, retry_s: 14400}}, {name: karpenter}", "type: p3.8xlarge", "quota: 2",
				"regions us-east-1, us-east-2: the pools"}},
		{"dstack without retry", "type: task\nresources:\n  gpu: {name: [H100, A100], count: 8.., memory: 80GB..}\nspot_policy: auto\nbackends: [aws]\n",
			[]string{"{name: dstack, settings: {spot_policy: auto, retry: false}}, {name: dstack-retry, policy: dstack, " +
				"settings: {spot_policy: auto, retry: true}}", "type: p5.48xlarge", "says 8..: taken as 8", "taken as H100"}},
		{"dstack on demand", "type: task\nresources: {gpu: H100:8}\n", []string{"does not ask for spot (spot_policy", "{name: checkpoint}"}},
		{"Ray Train", "trainer = TorchTrainer(f, scaling_config=ScalingConfig(use_gpu=True, num_workers=(2, 8), # elastic\n" +
			"  resources_per_worker={'CPU': 8, \"GPU\": 4}, accelerator_type=\"V100\", elastic_resize_monitor_interval_s=300),\n" +
			"  run_config=RunConfig(failure_config=FailureConfig(max_failures=-1)))\n",
			[]string{"{name: ray-elastic, settings: {min: 2, max: 8, interval_s: 300, max_failures: -1}}", "workers: {min: 2, max: 8}",
				"workers: 2, steps_per_s: 0.25", "type: p3.8xlarge", "quota: 8"}},
		{"Ray Train, few failures", "ScalingConfig(num_workers=(2, 4), accelerator_type='A100')\nFailureConfig(max_failures=3)\n",
			[]string{"{name: ray-elastic, settings: {min: 2, max: 4, max_failures: 3}}, {name: ray-elastic-any, policy: ray-elastic, " +
				"settings: {min: 2, max: 4, max_failures: -1}}"}},
		{"Ray Train, not elastic", "ScalingConfig(num_workers=4, accelerator_type='A100')\n",
			[]string{"num_workers is one number", "workers: {min: 4, max: 4}"}},
		{"on demand", "resources: {accelerators: 'V100:1'}\n", []string{"does not ask for spot", "{name: checkpoint}"}},
	} {
		task, err := ReadTask(c.name, []byte(c.task))
		if err != nil {
			t.Error(err)
			continue
		}
		s := Starter{Name: task.Name, Nodes: task.Nodes, Least: task.Least, Text: task.Text, Policies: task.Policies, Notes: task.Notes}
		s.Choose(task.Machines)
		text, assumed, err := s.Write()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: the spec lacks %q:\n%s", c.name, want, text)
			}
		}
		for _, a := range assumed {
			if !strings.Contains(string(text), a) {
				t.Errorf("%s: the spec does not say what was assumed: %s", c.name, a)
			}
		}
	}
}

// What is missing is an error that names the flag.
func TestStarterErrors(t *testing.T) {
	for want, s := range map[string]Starter{
		"no type of GPU is named":                     {},
		"--usd-per-h gives the price":                 {GPU: Accelerator{"GB300", 4}},
		"less than the 24 h of training":              {GPU: Accelerator{"H100", 8}, Within: 10},
		"only on B200, B300":                          {GPU: Accelerator{"V100", 8}, Network: "llama-3.1-8b"},
		"only on 8, 16 of them":                       {GPU: Accelerator{"H100", 8}, Network: "llama-3.1-8b"},
		"is not on the list of prices; --gpu TYPE:CO": {Type: "x9.large"},
		"8 H100 is on the list of prices of lambda":   {GPU: Accelerator{"H100", 8}, Cloud: "lambda"},
	} {
		if _, _, err := s.Write(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	for want, task := range map[string]string{
		"expected TYPE:COUNT":             "resources: {accelerators: 'H100:many'}\n",
		"not a task file of Sk":           "resources: [\n",
		"expected EAGER_NEXT_R":           "resources: {accelerators: 'H100:8', use_spot: true, job_recovery: NO_RECOVERY}\n",
		"type is \"service\"":             "type: service\nresources: {gpu: H100}\n",
		"spot_policy is \"always\"":       "type: task\nresources: {gpu: H100}\nspot_policy: always\n",
		"idle_duration is soon":           "type: task\nresources: {gpu: H100}\nspot_policy: spot\nidle_duration: soon\n",
		"expected at most a year":         "type: task\nresources: {gpu: H100}\nspot_policy: spot\nidle_duration: 999999999w\n",
		"on_events is [preemption]":       "type: task\nresources: {gpu: H100}\nspot_policy: spot\nretry: {on_events: [preemption]}\n",
		"retry: it is often":              "type: task\nresources: {gpu: H100}\nspot_policy: spot\nretry: often\n",
		"no num_workers=N":                "ScalingConfig(num_workers=n)\n",
		"num_workers is (4, 2), expected": "ScalingConfig(num_workers=(4, 2))\n",
		"expected one strategy":           "resources:\n  accelerators: 'H100:8'\n  any_of: [{job_recovery: FAILOVER}, {use_spot: true}]\n",
	} {
		if _, err := ReadTask("x.yaml", []byte(task)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	for text, want := range map[string]float64{"40": 40, "40h": 40, "90m": 1.5} {
		if h, err := ParseHours(text); err != nil || h != want {
			t.Error(text, h, err)
		}
	}
}

// Every GPU with published speeds has an estimate, and none is one step a second.
func TestEstimatedOnAllGPUs(t *testing.T) {
	gpus := transformer.GPUNames()
	if len(gpus) != 17 {
		t.Errorf("%d GPU types, expected 17", len(gpus))
	}
	for _, name := range gpus {
		job := &Estimated{Job: transformer.Job{Params: 5e8}, Tokens: 1e9}
		starter := Starter{GPU: Accelerator{GPU: name, Count: 8}, USD: 10, Estimated: job}
		text, assumed, err := starter.Write()
		if err != nil || !strings.Contains(string(text), "transformer:") || strings.Contains(string(text)+strings.Join(assumed, ""), "step a second") {
			t.Errorf("%s: %v, %q\n%s", name, err, assumed, text)
		}
	}
}
