package quotas

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/kueue"
)

const twoTeams = `apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: a100}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: vision
  creationTimestamp: "2026-01-02T03:04:05Z"
spec:
  cohort: research
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory, nvidia.com/gpu]
    flavors:
    - name: a100
      resources:
      - {name: cpu, nominalQuota: 1500m}
      - {name: memory, nominalQuota: 64Gi, borrowingLimit: 1.5Gi}
      - {name: nvidia.com/gpu, nominalQuota: 16, lendingLimit: "8"}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
---
apiVersion: v1
kind: List
items:
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: LocalQueue
  metadata: {name: train, namespace: vision}
  spec: {clusterQueue: vision}
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: WorkloadPriorityClass
  metadata: {name: high}
  value: 1000
`

func TestReadsWhatKubectlWrites(t *testing.T) {
	o, err := Parse("quotas.yaml", []byte(twoTeams), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := o.Config.Queues[0]
	want := []kueue.Quota{
		{Nominal: 1500, Borrowing: kueue.NoLimit, Lending: kueue.NoLimit},
		{Nominal: 64 << 30, Borrowing: 3 << 29, Lending: kueue.NoLimit},
		{Nominal: 16, Borrowing: kueue.NoLimit, Lending: 8},
	}
	for i, quota := range q.Groups[0].Flavors[0].Quotas {
		if quota != want[i] {
			t.Errorf("%s: %+v, expected %+v", q.Groups[0].Resources[i], quota, want[i])
		}
	}
	if q.Cohort != "research" || q.Within != kueue.LowerPriority || q.Reclaim != kueue.Any || !q.TryNextToPreempt || q.Weight != 1 {
		t.Errorf("queue %+v", q)
	}
	if o.Queues["train"] != "vision" || o.Queues["vision/train"] != "vision" || o.Classes["high"] != 1000 || len(o.Warnings) > 0 {
		t.Errorf("read %+v", o)
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	for _, x := range []struct{ old, new, want string }{
		{"nominalQuota: 16", "nominalQuota: 16GB", `quotas.yaml:20:46: spec.resourceGroups[0].flavors[0].resources[2].nominalQuota: "16GB", expected a quantity`},
		{"lendingLimit: \"8\"", "lendingLimit: 17", "17, expected at most nominalQuota (16)"},
		{"cohort: research", "cohrt: research", `quotas.yaml:11:3: unknown field "cohrt"`},
		{"  cohort: research\n", "", "expected cohortName, or no limit"},
		{"namespaceSelector: {}", "namespaceSelector: {}\n  admissionChecks: [capacity]",
			`ClusterQueue "vision": not simulated (it would delay admissions): remove it, or name it in jobs.kueue_ignore: [admissionChecks]`},
		{"kind: WorkloadPriorityClass", "kind: Topology", "Topology is not simulated (ClusterQueue, Cohort, Configuration, " +
			"LocalQueue, ResourceFlavor, WorkloadPriorityClass are): remove it"},
		{"reclaimWithinCohort: Any", "reclaimWithinCohort: Some", `"Some", expected Never, LowerPriority or Any`},
		{"clusterQueue: vision", "clusterQueue: visoin", `LocalQueue "train" is of ClusterQueue "visoin", which is not there`},
		{"- {name: cpu, nominalQuota: 1500m}\n      ", "", "2 resources, expected the 3 of coveredResources"},
	} {
		_, err := Parse("quotas.yaml", []byte(strings.Replace(twoTeams, x.old, x.new, 1)), nil)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %s", x.new, err, x.want)
		}
	}
	ignored := strings.Replace(twoTeams, "namespaceSelector: {}", "admissionChecks: [capacity]", 1)
	o, err := Parse("quotas.yaml", []byte(ignored), []string{"admissionChecks"})
	if err != nil || len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "no namespaceSelector") {
		t.Errorf("warnings %v, error %v", o, err)
	}
}

// TestNamesAllThatIsNotSimulated: one error names whatever has to be removed or ignored, at the place of the first.
func TestNamesAllThatIsNotSimulated(t *testing.T) {
	checked := "namespaceSelector: {}\n  admissionChecks: [capacity]"
	text := strings.Replace(twoTeams, "namespaceSelector: {}", checked, 1) + `---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: capacity}
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
featureGates: {TopologyAwareScheduling: false}
resources: {excludeResourcePrefixes: [example.com]}
`
	_, err := Parse("quotas.yaml", []byte(text), nil)
	names := "[admissionChecks, AdmissionCheck, resources, TopologyAwareScheduling]"
	place := "quotas.yaml:13:20: spec.admissionChecks: "
	if err == nil || !strings.Contains(err.Error(), place) || !strings.Contains(err.Error(), names) {
		t.Errorf("%v, expected %s", err, names)
	}
	if _, err := Parse("quotas.yaml", []byte(text), strings.Split(strings.Trim(names, "[]"), ", ")); err != nil {
		t.Error(err)
	}
}

// TestConfigMap: the Configuration is read as the manager finds it, with what decides on no job.
func TestConfigMap(t *testing.T) {
	text := twoTeams + `---
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    health: {healthProbeBindAddress: ":8081"}
    clientConnection: {qps: 50}
    integrations: {frameworks: [batch/job]}
    fairSharing: {preemptionStrategies: [LessThanInitialShare]}
`
	o, err := Parse("quotas.yaml", []byte(text), nil)
	if err != nil || len(o.Config.Fair) != 1 || o.Config.Fair[0] != kueue.LessThanInitialShare || len(o.Warnings) > 0 {
		t.Errorf("read %+v, error %v", o, err)
	}
	_, err = Parse("quotas.yaml", []byte(strings.Replace(text, "LessThanInitial", "LessThenInitial", 1)), nil)
	if err == nil || !strings.Contains(err.Error(), "quotas.yaml (controller_manager_config.yaml):6:") {
		t.Errorf("%v, expected the place in the ConfigMap", err)
	}
}

// TestWhatGPUsAreCalled: GPUs first, then devices, cpu and pods; several of a kind are an error.
func TestWhatGPUsAreCalled(t *testing.T) {
	for _, x := range []struct {
		covered string
		want    string
		each    int64
		says    string
	}{
		{"cpu, memory, nvidia.com/gpu", "nvidia.com/gpu", 0, "quotas of cpu, memory change nothing"},
		{"cpu, memory", "cpu", 1000, "each GPU of a job counts as 1 of cpu"},
		{"cpu, google.com/tpu", "google.com/tpu", 0, "each GPU of a job counts as 1 of google.com/tpu"},
		{"pods", "pods", 0, "each GPU of a job counts as 1 of pods"},
		{"nvidia.com/gpu, pods", "nvidia.com/gpu", 0, ""},
		{"nvidia.com/gpu, amd.com/gpu", "", 0, "quotas of amd.com/gpu and of nvidia.com/gpu"},
		{"memory", "", 0, "no quota of GPUs, expected a resource such as nvidia.com/gpu"},
	} {
		objects := &Objects{}
		objects.Config.Queues = []kueue.ClusterQueue{{Groups: []kueue.Group{{Resources: strings.Split(x.covered, ", ")}}}}
		c := &claimant{objects: objects, quotas: &schedulers.Quotas{}}
		err := c.findResource()
		said := strings.Join(c.texts, "; ")
		if err != nil {
			said = err.Error()
		} else if c.quotas.Resource != x.want || c.quotas.Each != x.each {
			t.Errorf("%s: %q of %d, expected %q of %d", x.covered, c.quotas.Resource, c.quotas.Each, x.want, x.each)
		}
		if (err != nil) != (x.want == "") || !strings.Contains(said, x.says) || x.says == "" && said != "" {
			t.Errorf("%s: says %q, expected %q", x.covered, said, x.says)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(twoTeams))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := Parse("fuzzed.yaml", data, nil)
		if err != nil {
			return
		}
		cluster, err := kueue.New(o.Config)
		if err != nil {
			t.Fatalf("read, but %v", err)
		}
		for i, q := range o.Config.Queues {
			job := kueue.Job{Name: "job", Queue: q.Name, PodSets: []kueue.PodSet{{Name: "main", Count: 2}}}
			for _, g := range q.Groups {
				for _, r := range g.Resources {
					job.PodSets[0].Requests = append(job.PodSets[0].Requests, kueue.Request{Resource: r, Amount: 1})
				}
			}
			if err := cluster.Submit(i, &job); err != nil {
				t.Fatal(err)
			}
		}
		if err := cluster.Settle(0, func(kueue.Event) {}); err != nil {
			t.Fatal(err)
		}
	})
}
