package cluster

import (
	"github.com/marigram/marigram/calibrate/sharing"
)

// Tasks says what the tasks of jobs take of an instance that is shared, how long they take to begin and to end, and how they slow
// one another.
type Tasks struct {
	Kinds          string  `json:"kinds,omitempty" jsonschema:"what each kind of job needs: eva, or a CSV file with the columns kind, tasks, gpus, vcpus, memory_gb and iterations_per_s, and, if wanted, family (of instances), launch_s, build_s, init_s, stop_s and save_s, relative to this file; work is in iterations, or the duration at that speed. If absent, tasks are of a job's GPUs"`
	GPUsPerTask    int     `json:"gpus_per_task,omitempty" jsonschema:"without kinds: a job of more GPUs is several tasks of so many each, the last of which may have fewer in use; 8 if absent"`
	CPUsPerGPU     float64 `json:"cpus_per_gpu,omitempty" jsonschema:"without kinds: cores that a task takes for each of its GPUs; 0 if absent"`
	MemoryGBPerGPU float64 `json:"memory_gb_per_gpu,omitempty" jsonschema:"without kinds: memory that a task takes for each of its GPUs, GB; 0 if absent"`
	LaunchS        float64 `json:"launch_s,omitempty" jsonschema:"without kinds: time from room on an instance until a task has been launched; 0 if absent"`
	InitS          float64 `json:"init_s,omitempty" jsonschema:"without kinds: time from the launch of the last task until the job trains; 0 if absent"`
	StopS          float64 `json:"stop_s,omitempty" jsonschema:"without kinds: time for which a job that is to move trains on; 0 if absent"`
	UploadS        float64 `json:"upload_s,omitempty" jsonschema:"without kinds: time in which a job that is to move saves its state, before its room is free; 0 if absent"`
	LeaveS         float64 `json:"leave_s,omitempty" jsonschema:"time until the room of a job that is done is free; 0 if absent"`

	Beside *float64 `json:"beside,omitempty" jsonschema:"part of its speed that a task keeps beside each other task on its instance, above 0 to 1; 1 if absent"`
	Pairs  string   `json:"pairs,omitempty" jsonschema:"the same by kind: eva (as its simulator has it), eva-measured, or a CSV file with the columns kind, beside and keeps, relative to this file; beside is for pairs that are not listed"`
}

// Check reports what is wrong with what is at $.model.gang.tasks.
func (t *Tasks) Check(at At) error {
	if t == nil {
		return nil
	}
	where := "$.model.gang.tasks"
	for _, q := range []struct {
		key     string
		x, most float64
	}{{"cpus_per_gpu", t.CPUsPerGPU, 1024}, {"memory_gb_per_gpu", t.MemoryGBPerGPU, 1 << 16}, {"launch_s", t.LaunchS, 86400}, {"init_s", t.InitS, 86400},
		{"stop_s", t.StopS, 86400}, {"upload_s", t.UploadS, 86400}, {"leave_s", t.LeaveS, 86400}, {"gpus_per_task", float64(t.GPUsPerTask), 1024}} {
		if !(q.x >= 0) || q.x > q.most {
			return at(where+"."+q.key, "%v, expected 0 to %v", q.x, q.most)
		}
		if t.Kinds != "" && q.x > 0 && q.key != "leave_s" {
			return at(where+"."+q.key, "%v, but kinds is set, whose table says it", q.x)
		}
	}
	if t.Beside != nil && !(*t.Beside > 0 && *t.Beside <= 1) {
		return at(where+".beside", "%v, expected above 0, at most 1", *t.Beside)
	}
	return nil
}

// Files returns the names of the files of the tables.
func (t *Tasks) Files() (names []string) {
	if t == nil {
		return nil
	}
	if t.Kinds != "" && t.Kinds != sharing.Eva {
		names = append(names, t.Kinds)
	}
	if t.Pairs != "" && t.Pairs != sharing.Eva && t.Pairs != sharing.EvaMeasured {
		names = append(names, t.Pairs)
	}
	return names
}
