// Package kubernetes checks the Job that runs a sweep, experiments/kubernetes/sweep.yaml, against the types of its API.
package kubernetes

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

var marigram = flag.String("marigram", "", "program to test")

func job(t *testing.T, text []byte) (*batch.Job, error) {
	t.Helper()
	var j batch.Job
	err := yaml.UnmarshalStrict(text, &j)
	return &j, err
}

func manifest(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../experiments/kubernetes/sweep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The manifest has the fields of the API, under their names and of their types.
func TestFields(t *testing.T) {
	text := manifest(t)
	if _, err := job(t, text); err != nil {
		t.Error(err)
	}
	for _, bad := range [][2]string{{"completionMode", "completionsMode"}, {"completions: 8", "completions: eight"},
		{"serviceAccountName", "serviceAccount_Name"}} {
		wrong := bytes.Replace(text, []byte(bad[0]), []byte(bad[1]), 1)
		if _, err := job(t, wrong); err == nil || bytes.Equal(wrong, text) {
			t.Errorf("%s instead of %s is accepted", bad[1], bad[0])
		}
	}
}

// What the API server asks for besides (kubernetes.io/docs/concepts/workloads/controllers/job).
func TestRules(t *testing.T) {
	j, err := job(t, manifest(t))
	if err != nil {
		t.Fatal(err)
	}
	s, pod := &j.Spec, &j.Spec.Template.Spec
	if j.APIVersion != "batch/v1" || j.Kind != "Job" || s.CompletionMode == nil || *s.CompletionMode != batch.IndexedCompletion {
		t.Errorf("%s %s, mode %v, want a batch/v1 Job that is Indexed", j.APIVersion, j.Kind, s.CompletionMode)
	}
	if pod.RestartPolicy != core.RestartPolicyNever {
		t.Errorf("restartPolicy %s: a podFailurePolicy needs Never", pod.RestartPolicy)
	}
	if s.BackoffLimitPerIndex == nil {
		t.Error("no backoffLimitPerIndex: the action FailIndex needs it")
	}
	actions := map[int32]batch.PodFailurePolicyAction{}
	for _, rule := range s.PodFailurePolicy.Rules {
		if (rule.OnExitCodes == nil) == (len(rule.OnPodConditions) == 0) {
			t.Errorf("%+v: want exit codes or conditions", rule)
		}
		if rule.OnExitCodes == nil {
			continue
		}
		if !slices.IsSorted(rule.OnExitCodes.Values) {
			t.Errorf("%v: want exit codes in ascending order", rule.OnExitCodes.Values)
		}
		for _, code := range rule.OnExitCodes.Values {
			actions[code] = rule.Action
		}
	}
	want := map[int32]batch.PodFailurePolicyAction{1: batch.PodFailurePolicyActionFailIndex, 2: batch.PodFailurePolicyActionFailJob,
		75: batch.PodFailurePolicyActionIgnore}
	if fmt.Sprint(actions) != fmt.Sprint(want) {
		t.Errorf("exit codes lead to %v, want %v", actions, want)
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		if !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == m.Name }) {
			t.Errorf("no volume %s", m.Name)
		}
	}
}

// The containers' commands, as many as there are completions, make the whole sweep.
func TestCommands(t *testing.T) {
	if *marigram == "" {
		t.Skip("no program: -args -marigram=PATH")
	}
	j, err := job(t, manifest(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	spec := "base: quickstart\nseeds: 20\nchunk_runs: 6\n"
	if err := os.WriteFile(filepath.Join(dir, "notice.yaml"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(env string, args ...string) string {
		t.Helper()
		cmd := exec.Command(*marigram, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	command := j.Spec.Template.Spec.Containers[0].Command
	if command[0] != "marigram" {
		t.Fatalf("the command is %v", command)
	}
	for i, word := range command { // a folder stands for the bucket: make -C tools test-object-store has one
		command[i] = strings.ReplaceAll(word, "s3://lab/", dir+"/")
	}
	for i := range *j.Spec.Completions {
		run(fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i), command[1:]...)
	}
	if out := run("", "sweep", "status", filepath.Join(dir, "notice")); !strings.Contains(out, "160 of 160 runs") { // 2 objectives, 4 policies, 20 seeds
		t.Errorf("%s, want all runs", out)
	}
}
