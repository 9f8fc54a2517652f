package quotas

import (
	"strings"
	"testing"

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
