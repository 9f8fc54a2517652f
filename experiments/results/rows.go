package results

import "github.com/marigram/marigram/internal/stats"

import (
	"cmp"
	"fmt"
)

// The values of Span.Market.
const (
	Spot     = "spot"
	OnDemand = "on-demand"
)

// Span is one pool while it stays the same: one row of spans.parquet. The first pool of a run, and each of which
// something is held or requested, has a row for every interval in which nothing of the run changed; their columns of
// the job and the cost are the same. Another pool has one row for as long as its price and capacity stay the same,
// without activity and rate. Rows are in the order of their starts, then of the pools: see Stretches.
type Span struct {
	Run       int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy    string `col:"policy" doc:"name of the policy"`
	Scenario  string `col:"scenario" doc:"name of the study"`
	Objective string `col:"objective" doc:"label of the objective"`
	Seed      int64  `col:"seed" doc:"seed of the run's random numbers"`

	StartS float64 `col:"t_start_s" unit:"s" doc:"start of the row, from the start of the run"`
	EndS   float64 `col:"t_end_s" unit:"s" doc:"its end, after its start"`

	Pool         string  `col:"pool" doc:"name of the pool; of many jobs the instance type, whose pools are one row"`
	InstanceType string  `col:"instance_type" doc:"instance type of the pool"`
	Market       string  `col:"market" doc:"spot or on-demand"`
	PriceUSDPerH float64 `col:"price_usd_per_h" unit:"USD/h" doc:"price of one instance; of many jobs the mean of those that are held, or of the pools where none is"`
	Capacity     *int32  `col:"capacity" unit:"instances" doc:"most instances that can be held; null where the trace sets no limit"`
	Ready        int32   `col:"ready" unit:"instances" doc:"held and ready, not counting those under notice"`
	Starting     int32   `col:"starting" unit:"instances" doc:"held, not yet ready"`
	Noticed      int32   `col:"noticed" unit:"instances" doc:"held, under a preemption notice"`
	Waiting      int32   `col:"waiting" unit:"instances" doc:"requested, not yet granted"`

	Activity         string  `col:"activity" doc:"what the job does, empty where nothing of the pool is held or requested unless it is the first of the run: useful, checkpointing, restoring, reconfiguring, redone (repeating lost training), waiting or starting"`
	RateProgressPerS float64 `col:"rate_progress_per_s" unit:"1/s" doc:"speed, in the model's unit of progress per second; 0 where activity is empty"`
	Slowed           float64 `col:"slowed" added:"17" unit:"1" doc:"of one job that trains, the share of the time in which slow machines do what fast ones would not need, 0 to 1"`
	Progress         float64 `col:"progress_fraction" unit:"1" doc:"share of the way to the goal at the end of the row, 0 to 1"`
	Loss             float64 `col:"loss" doc:"training loss at the end of the row; +Inf before training begins"`
	JobsRunning      int32   `col:"jobs_running" added:"6" doc:"of many jobs, those that have GPUs; 0 of one job"`
	JobsWaiting      int32   `col:"jobs_waiting" added:"6" doc:"of many jobs, those that were submitted and have none; 0 of one job"`
	GPUsWanted       int32   `col:"gpus_wanted" added:"6" unit:"GPUs" doc:"GPUs that the waiting jobs ask for; 0 of one job"`
	Layout           string  `col:"layout" added:"13" doc:"of one job in layouts over GPU types or in pipelines, the layout in which it trains, or goes on after a pause; empty while it has none"`
	CostUSD          float64 `col:"cost_usd" unit:"USD" doc:"cost of the whole run up to the end of the row"`
}

// Held is the number of instances that are paid for.
func (s *Span) Held() int32 { return s.Ready + s.Starting + s.Noticed }

// Decision is one answer of a policy: one row of decisions.parquet.
type Decision struct {
	Run       int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy    string `col:"policy" doc:"name of the policy"`
	Scenario  string `col:"scenario" doc:"name of the study"`
	Objective string `col:"objective" doc:"label of the objective"`
	Seed      int64  `col:"seed" doc:"seed of the run's random numbers"`

	Number     int64   `col:"decision" doc:"number of the decision among the recorded ones of its run, from 0"`
	AtS        float64 `col:"t_s" unit:"s" doc:"time of the decision, from the start of the run"`
	Trigger    string  `col:"trigger" doc:"why the policy was called"`
	State      string  `col:"state" doc:"what the policy saw, in brief: instances by state and prices"`
	Inputs     string  `col:"inputs" doc:"other numbers that the decision used: names, values and units, separated by semicolons"`
	Plan       string  `col:"plan" doc:"instances that the policy asks for, and the layout of the job"`
	Reason     string  `col:"reason" doc:"reason that the policy gave"`
	Changed    bool    `col:"changed" doc:"whether the plan differs from the one before"`
	Loss       float64 `col:"loss" doc:"training loss at that time; +Inf before training begins"`
	RemainingS float64 `col:"remaining_s" unit:"s" doc:"time left to the deadline; negative after it"`
	CostUSD    float64 `col:"cost_usd" unit:"USD" doc:"cost of the run up to that time"`
}

// Candidate is one alternative that a policy considered in a decision: one row of
// candidates.parquet.
type Candidate struct {
	Run      int64   `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy   string  `col:"policy" doc:"name of the policy"`
	Decision int64   `col:"decision" doc:"number of the decision, as in decisions.parquet"`
	AtS      float64 `col:"t_s" unit:"s" doc:"time of the decision, from the start of the run"`

	Name   string  `col:"candidate" doc:"a cluster, a layout or an action"`
	Score  float64 `col:"score" doc:"score by which it was compared, in the unit of the column unit"`
	Unit   string  `col:"unit" doc:"unit of the score"`
	Note   string  `col:"note" doc:"remark, such as why it was ruled out; empty if there is none"`
	Chosen bool    `col:"chosen" doc:"whether it was chosen"`
}

// The values of Instance.End.
const (
	Revoked  = "revoked"
	Released = "released"
	Held     = "held"
	Failed   = "failed"   // its machine failed
	Replaced = "replaced" // its machine was slow, and was replaced
)

// Instance is one instance that a run held: one row of instances.parquet.
type Instance struct {
	Run    int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy string `col:"policy" doc:"name of the policy"`

	Job          int64    `col:"job" added:"6" doc:"number of the job that held it, as in jobs.parquet; 0 in a run of one job"`
	Pool         string   `col:"pool" doc:"name of the pool"`
	InstanceType string   `col:"instance_type" doc:"instance type of the pool"`
	Market       string   `col:"market" doc:"spot or on-demand"`
	Number       int64    `col:"instance" doc:"number among those granted in the pool, from 0"`
	GrantedS     float64  `col:"granted_s" unit:"s" doc:"when it was granted, from the start of the run"`
	ReadyS       *float64 `col:"ready_s" unit:"s" doc:"when it was ready to train; null if it never was"`
	NoticedS     *float64 `col:"noticed_s" unit:"s" doc:"when its preemption notice came; null if none came"`
	EndS         float64  `col:"end_s" unit:"s" doc:"when it ended"`
	End          string   `col:"end" doc:"how it ended: revoked by the cloud, failed with its machine, replaced as its machine was slow, released by the job, or held to the end of the run"`
}

// The values of Outage.End.
const (
	Repaired = "repaired"
	Retired  = "retired"
	Down     = "down"
)

// Outage is a time in which a machine was down: one row of outages.parquet.
type Outage struct {
	Run    int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy string `col:"policy" doc:"name of the policy"`

	Pool         string  `col:"pool" doc:"name of the pool that the machine is of; a server is a pool"`
	InstanceType string  `col:"instance_type" doc:"instance type of the pool"`
	Machine      int64   `col:"machine" doc:"number of the machine among those that fail together (an entry of the spec), from 0"`
	FromS        float64 `col:"from_s" unit:"s" doc:"when it went, from the start of the run; 0 if it was down then"`
	UntilS       float64 `col:"until_s" unit:"s" doc:"when it was back, or the run ended"`
	Cause        string  `col:"cause" doc:"failed, misdiagnosed (another machine failed, and this one was repaired for it) or recorded (a fault of a trace)"`
	End          string  `col:"end" doc:"how it ended: repaired, retired (it does not come back) or down to the end of the run"`
}

// Slow is a time in which a machine that a job held was slow, or one for which a detector took it wrongly: one row of
// slow.parquet.
type Slow struct {
	Run    int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy string `col:"policy" doc:"name of the policy"`

	Job          int64    `col:"job" doc:"number of the job that held it, as in jobs.parquet"`
	Pool         string   `col:"pool" doc:"name of the pool; a server is a pool"`
	InstanceType string   `col:"instance_type" doc:"instance type of the pool"`
	Machine      int64    `col:"machine" doc:"number of the instance among those granted in the pool, from 0; 0 of a server"`
	FromS        float64  `col:"from_s" unit:"s" doc:"when it was slow and held, from the start of the run"`
	UntilS       float64  `col:"until_s" unit:"s" doc:"when it was not slow or not held any more, or the run ended"`
	EndsS        *float64 `col:"ends_s" unit:"s" doc:"when its last episode ends or would have ended; null: for good"`
	Times        float64  `col:"times" unit:"1" doc:"how many times as long it made steps by itself, at most; 1: a false alarm"`
	SeenS        *float64 `col:"seen_s" unit:"s" doc:"when a detector sees it; null: it does not, or nobody asks"`
	Did          string   `col:"did" doc:"what was done about it last: kept, rebalanced, moved or replaced"`
	DidS         *float64 `col:"did_s" unit:"s" doc:"when that was done; null if it was kept"`
	CostS        float64  `col:"cost_s" unit:"s" doc:"what a replacement takes of the time of the job, as is believed (slow.cost_s); 0: not said"`
}

// KeepS is the time that the job loses, in seconds, if nothing is done any more about the machine from when something
// was done about it, or from the beginning, until its episode or the run ends.
func (s *Slow) KeepS(runEnds float64) float64 {
	from := stats.Or(s.DidS, s.FromS)
	return (1 - 1/s.Times) * max(min(stats.Or(s.EndsS, runEnds), runEnds)-from, 0)
}

// Job is one of the jobs of a run, of which it may have one or many: one row of jobs.parquet. How many GPUs the
// instances of a run of one job have is not known, and when they trained only where spans say so.
type Job struct {
	Run    int64  `json:"run" col:"run" doc:"number of the run, as in summary.parquet"`
	Policy string `json:"policy" col:"policy" doc:"name of the policy"`
	Seed   int64  `json:"seed" col:"seed" doc:"seed of the run's random numbers"`

	Number  int64   `json:"job" col:"job" doc:"number of the job in the run, from 0, in order of submission"`
	ID      string  `json:"job_id" col:"job_id" doc:"name of the job in its trace"`
	Kind    string  `json:"kind" col:"kind" doc:"what it runs, the key of tables of speeds; may be empty"`
	User    string  `json:"user" col:"user" doc:"its user in the trace; may be empty"`
	VC      string  `json:"vc" col:"vc" doc:"its virtual cluster or queue in the trace; may be empty"`
	GPUs    int32   `json:"gpus" col:"gpus" unit:"GPUs" doc:"GPUs that it needs, all at once; of a job whose number may change, those to which its duration refers; 0 in a run of one job, which trains on any number of instances"`
	MinGPUs int32   `json:"min_gpus" col:"min_gpus" added:"17" unit:"GPUs" doc:"fewest GPUs on which it trains; gpus where their number may not change"`
	MaxGPUs int32   `json:"max_gpus" col:"max_gpus" added:"17" unit:"GPUs" doc:"most GPUs on which it trains; gpus where their number may not change"`
	Weight  float64 `json:"weight" col:"weight" doc:"weight among jobs that share"`

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
	Resizes     int64    `json:"resizes" col:"resizes" added:"16" doc:"times that it went on on another number of GPUs than before (not counted as moves)"`
	CostUSD     float64  `json:"cost_usd" col:"cost_usd" unit:"USD" doc:"its part of the bill: its GPUs at the price of each moment (what commitments cover included), minimum charges and rounding, disks, storage, moves, tax; the sum over jobs and cost_unallocated_usd are the cost of the run"`
	MovesUSD    float64  `json:"cost_transfers_usd" col:"cost_transfers_usd" added:"7" unit:"USD" doc:"of cost_usd, moves of its state, before tax"`

	DeadlineS   *float64 `json:"deadline_s" col:"deadline_s" unit:"s" doc:"deadline, from its submission; null if it has none"`
	DeadlineMet *bool    `json:"deadline_met" col:"deadline_met" doc:"whether it was done by then; null if it has none"`
	FTF         *float64 `json:"finish_time_fairness" col:"finish_time_fairness" unit:"1" doc:"its completion time by that which it would have had with an equal part of the servers for itself, among as many jobs as there were on average during its own time; null if it was not done, or without servers"`
}

// Needs is the fewest GPUs on which the job trains; of tables of before version 17, those that it asks for.
func (j *Job) Needs() int32 { return cmp.Or(j.MinGPUs, j.GPUs) }

// GPUsText is the number of GPUs that it asks for, with their range if it may change.
func (j *Job) GPUsText() string {
	if j.MaxGPUs <= j.Needs() {
		return fmt.Sprint(j.GPUs)
	}
	return fmt.Sprintf("%d (%d to %d)", j.GPUs, j.MinGPUs, j.MaxGPUs)
}
