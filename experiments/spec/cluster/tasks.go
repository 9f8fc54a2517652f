package cluster

import (
	"github.com/marigram/marigram/calibrate/throughput"
)

// Tasks says what the tasks of jobs take of an instance that is shared, how long they take to begin and to end, and how they slow
// one another.
type Tasks struct {
	Kinds          string  `json:"kinds,omitempty" jsonschema:"what each kind of job needs: eva, or a CSV file with the columns kind, tasks, gpus, vcpus, memory_gb and iterations_per_s, and, if wanted, family (of instances), launch_s, build_s, init_s, stop_s and save_s, relative to this file; work is in iterations, or the duration at that speed. If absent, tasks are of a job's GPUs"`
	GPUsPerTask    int     `json:"gpus_per_task,omitempty" min:"0" max:"1024" excludes:"kinds" jsonschema:"without kinds: a job of more GPUs is several tasks of this number each, the last of which may have fewer in use; 8 if absent"`
	CPUsPerGPU     float64 `json:"cpus_per_gpu,omitempty" min:"0" max:"1024" excludes:"kinds" jsonschema:"without kinds: cores that a task takes for each of its GPUs; 0 if absent"`
	MemoryGBPerGPU float64 `json:"memory_gb_per_gpu,omitempty" min:"0" max:"65536" excludes:"kinds" jsonschema:"without kinds: memory that a task takes for each of its GPUs, GB; 0 if absent"`
	LaunchS        float64 `json:"launch_s,omitempty" min:"0" max:"86400" excludes:"kinds" jsonschema:"without kinds: time from its place on an instance until a task has been launched; 0 if absent"`
	InitS          float64 `json:"init_s,omitempty" min:"0" max:"86400" excludes:"kinds" jsonschema:"without kinds: time from the launch of the last task until the job trains; 0 if absent"`
	StopS          float64 `json:"stop_s,omitempty" min:"0" max:"86400" excludes:"kinds" jsonschema:"without kinds: time for which a job that is to move trains on; 0 if absent"`
	UploadS        float64 `json:"upload_s,omitempty" min:"0" max:"86400" excludes:"kinds" jsonschema:"without kinds: time in which a job that is to move saves its state, before its place is free; 0 if absent"`
	LeaveS         float64 `json:"leave_s,omitempty" min:"0" max:"86400" jsonschema:"time until the place of a job that is done is free; 0 if absent"`

	Keeps *float64 `json:"keeps,omitempty" was:"beside" above:"0" max:"1" jsonschema:"part of its speed that a task keeps next to each other task on its instance, above 0 to 1; 1 if absent"`
	Pairs string   `json:"pairs,omitempty" jsonschema:"the same by kind: eva (as its simulator has it), eva-measured, or a CSV file with the columns kind, beside, keeps, relative to this file; pairs that are not listed take the key keeps"`
}

// Files returns the names of the files of the tables.
func (t *Tasks) Files() (names []string) {
	if t == nil {
		return nil
	}
	if t.Kinds != "" && t.Kinds != throughput.Eva {
		names = append(names, t.Kinds)
	}
	if t.Pairs != "" && t.Pairs != throughput.Eva && t.Pairs != throughput.EvaMeasured {
		names = append(names, t.Pairs)
	}
	return names
}
