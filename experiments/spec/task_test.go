package spec

import "testing"

// FuzzReadTask: whatever a file says, reading it ends in an error or in a job that can be written as a spec, if the list
// of prices has its machine.
func FuzzReadTask(f *testing.F) {
	for _, text := range []string{
		"name: x\nresources: {accelerators: 'V100:1', use_spot: true, any_of: [{region: us-east-1}, {use_spot: false}]}\n",
		"resources: {accelerators: {A100: 8}, job_recovery: {strategy: FAILOVER}}\nfile_mounts: {/c: {name: b}}\n",
		"type: task\nresources: {gpu: 'H100:80GB:8'}\nspot_policy: spot\nretry: {on_events: [error], duration: 2h}\nidle_duration: off\n",
		"type: task\nresources: {gpu: {name: [A100], count: 1..8}}\nspot_policy: auto\nretry: true\nmax_price: 2\n",
		"ScalingConfig(num_workers=(2, 8), resources_per_worker={'GPU': 8}, accelerator_type='A100')",
		"ScalingConfig(num_workers=4)\nFailureConfig(max_failures=3)",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		task, err := ReadTask("x", data)
		if err != nil {
			return
		}
		if len(task.Machines) == 0 {
			t.Fatal("a task without a machine")
		}
		s := Starter{Name: task.Name, Nodes: task.Nodes, Least: task.Least, Policies: task.Policies, Notes: task.Notes}
		s.GPU = Accelerator{"V100", 1}
		if _, _, err := s.Write(); err != nil && task.Nodes <= 4096 {
			t.Errorf("%v of %q", err, data)
		}
	})
}
