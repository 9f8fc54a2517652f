package results

// Job is one of the jobs of a run, of which it may have one or many: one row of jobs.parquet. How many GPUs the instances
// of a run of one job have is not known, and when they trained only where spans say so.
type Job struct {
	Run    int64  `json:"run" col:"run" doc:"number of the run, as in summary.parquet"`
	Policy string `json:"policy" col:"policy" doc:"name of the policy"`
	Seed   int64  `json:"seed" col:"seed" doc:"seed of the run's random numbers"`

	Number int64   `json:"job" col:"job" doc:"number of the job in the run, from 0, in order of submission"`
	ID     string  `json:"job_id" col:"job_id" doc:"name of the job in its trace"`
	Kind   string  `json:"kind" col:"kind" doc:"what it runs, the key of tables of speeds; may be empty"`
	User   string  `json:"user" col:"user" doc:"its user in the trace; may be empty"`
	VC     string  `json:"vc" col:"vc" doc:"its virtual cluster or queue in the trace; may be empty"`
	GPUs   int32   `json:"gpus" col:"gpus" unit:"GPUs" doc:"GPUs that it needs, all at once; 0 in a run of one job, which trains on any number of instances"`
	Weight float64 `json:"weight" col:"weight" doc:"weight among jobs that share"`

	SubmitS float64  `json:"submit_s" col:"submit_s" unit:"s" doc:"when it was submitted, from the start of the run"`
	StartS  *float64 `json:"start_s" col:"start_s" unit:"s" doc:"when it first trained, from the start of the run; null if it never did, and in a run of one job whose timeline is not kept"`
	FinishS *float64 `json:"finish_s" col:"finish_s" unit:"s" doc:"when it was done, from the start of the run; null if it was not"`
	JCTS    *float64 `json:"jct_s" col:"jct_s" unit:"s" doc:"job completion time, from submission to finish; null if it was not done"`
	QueueS  *float64 `json:"queue_s" col:"queue_s" unit:"s" doc:"time from submission to finish, or to the end of the run, without GPUs on which it can train; null in a run of one job whose timeline is not kept"`
	Done    float64  `json:"progress" col:"progress" unit:"1" doc:"share of its work that was done, 0 to 1"`

	GPUH        *float64 `json:"gpu_h" col:"gpu_h" unit:"GPU-hours" doc:"GPUs that it held, times the time; null in a run of one job, as the next two"`
	UsefulH     *float64 `json:"useful_gpu_h" col:"useful_gpu_h" unit:"GPU-hours" doc:"of these, training whose progress was kept"`
	LostH       *float64 `json:"lost_gpu_h" col:"lost_gpu_h" unit:"GPU-hours" doc:"of these, training whose progress was lost with GPUs"`
	Suspensions int64    `json:"suspensions" col:"suspensions" doc:"times that the scheduler stopped it"`
	Preemptions int64    `json:"preemptions" col:"preemptions" doc:"times that the cloud stopped it, by taking GPUs or announcing it"`
	Moves       int64    `json:"moves" col:"moves" doc:"times that it went on on other GPUs than before"`
	CostUSD     float64  `json:"cost_usd" col:"cost_usd" unit:"USD" doc:"its part of the bill: its GPUs at the price of each moment (what commitments cover included), minimum charges and rounding, disks, storage, moves, tax; the sum over jobs and cost_unallocated_usd are the cost of the run"`
	MovesUSD    float64  `json:"cost_transfers_usd" col:"cost_transfers_usd" added:"7" unit:"USD" doc:"of cost_usd, moves of its state, before tax"`

	DeadlineS   *float64 `json:"deadline_s" col:"deadline_s" unit:"s" doc:"deadline, from its submission; null if it has none"`
	DeadlineMet *bool    `json:"deadline_met" col:"deadline_met" doc:"whether it was done by then; null if it has none"`
	FTF         *float64 `json:"finish_time_fairness" col:"finish_time_fairness" unit:"1" doc:"its completion time by that which it would have had with an equal part of the servers for itself, among as many jobs as there were on average during its own time; null if it was not done, or without servers"`
}
