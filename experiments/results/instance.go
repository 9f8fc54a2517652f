package results

// The values of Instance.End.
const (
	Revoked  = "revoked"
	Released = "released"
	Held     = "held"
	Failed   = "failed" // its machine failed
)

// Task is a time in which a task of a job was on an instance that jobs share: one row of tasks.parquet.
type Task struct {
	Run    int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy string `col:"policy" doc:"name of the policy"`

	Job      int64   `col:"job" doc:"number of the job, as in jobs.parquet"`
	Task     int64   `col:"task" doc:"number of the task in its job, from 0"`
	Pool     string  `col:"pool" doc:"name of the pool of the instance"`
	Instance int64   `col:"instance" doc:"number of the instance among those granted in the pool, as in instances.parquet"`
	StartS   float64 `col:"start_s" unit:"s" doc:"when its launch there began, from the start of the run"`
	EndS     float64 `col:"end_s" unit:"s" doc:"when it left, or its job was done"`
	End      string  `col:"end" doc:"how it ended: revoked (the cloud took an instance of the job), failed (its machine did), released (it left, or was done), or held to the end of the run"`
}

// Instance is one instance that a run held: one row of instances.parquet.
type Instance struct {
	Run    int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy string `col:"policy" doc:"name of the policy"`

	Job          int64    `col:"job" added:"6" doc:"number of the job that held it, as in jobs.parquet; 0 in a run of one job, -1 where jobs share instances"`
	Pool         string   `col:"pool" doc:"name of the pool"`
	InstanceType string   `col:"instance_type" doc:"instance type of the pool"`
	Market       string   `col:"market" doc:"spot or on-demand"`
	Number       int64    `col:"instance" doc:"number among those granted in the pool, from 0"`
	GrantedS     float64  `col:"granted_s" unit:"s" doc:"when it was granted, from the start of the run"`
	ReadyS       *float64 `col:"ready_s" unit:"s" doc:"when it was ready to train; null if it never was"`
	NoticedS     *float64 `col:"noticed_s" unit:"s" doc:"when its preemption notice came; null if none came"`
	EndS         float64  `col:"end_s" unit:"s" doc:"when it ended"`
	End          string   `col:"end" doc:"how it ended: revoked by the cloud, failed with its machine, released by the job, or held to the end of the run"`
}
