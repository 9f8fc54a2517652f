// Package results is what a study leaves behind: seven Parquet tables in one
// folder, read by the plots, by the report and by any other program.
//
//	summary.parquet    one row per run: cost, finish, where the instance-hours went
//	spans.parquet      what each pool held and what the job did, over time
//	decisions.parquet  what the policy saw, what it asked for, and why
//	candidates.parquet the alternatives that it considered, with scores
//	instances.parquet  every instance: granted, ready, noticed, ended
//	jobs.parquet       every job: the one of a run, or the many that share a cluster
//	outages.parquet    every time in which a machine was down
//	slow.parquet       every time in which a machine of a job was slow
//
// The structs Summary, Span, Decision, Candidate, Instance, Job and Outage are the schema: each field is a column with
// its name, unit and meaning; SCHEMA.md is printed from them. All files carry the same Provenance in their key-value
// metadata.
//
//	err := results.WriteAll(dir, results.Set{Provenance: p, Summaries: rows})
//	set, err := results.ReadAll(dir)
//
// A study whose rows do not fit into memory uses a Writer; a sweep writes its rows
// (SweepRow: a Summary and where it stands) as parts.
//
// To add a column to the runs: a field of Summary (summary.go), with the schema version
// that adds it in the tag added; its value where package experiments fills the row
// (summary.go there); that SchemaVersion, if it is not the present one (provenance.go);
// and SCHEMA.md printed anew. Older files have zero, or null, there.
package results

import (
	"fmt"
	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/internal/stats"
)

// The values of Summary.Unit.
const (
	ByStart = "start"
	BySeed  = "seed"
)

// LastedS returns how long the run lasted, s: until its job finished, else until
// the horizon.
func (s *Summary) LastedS() float64 { return stats.Or(s.FinishS, s.HorizonS) }

// ManyJobs reports whether the run is of many jobs (jobs in the spec).
func (s *Summary) ManyJobs() bool { return s.Jobs > 1 || s.QueueMeanS != nil }

// Effective returns the effective training time ratio: the share of the instance time held in which training was done
// that was kept; 0 where nothing was held.
func (s *Summary) Effective() float64 {
	if s.InstanceH == 0 {
		return 0
	}
	return s.UsefulH / s.InstanceH
}

// Fails reports whether machines failed or were down in the run.
func (s *Summary) Fails() bool { return s.Failures > 0 || s.DownH > 0 }

// Slowdown returns how many times as long training took as it would have on fast machines: 1 of a run without slow
// ones.
func (s *Summary) Slowdown() float64 {
	if s.SlowedH == 0 {
		return 1
	}
	return 1 + s.SlowedH/(s.UsefulH+s.RedundantH+s.LostH)
}

// Kind returns the kind of the objective.
func (s *Summary) Kind() *objective.Kind { return objective.Named(s.Goal) }

// Meets reports whether the run met its objective, by the numbers of the row.
func (s *Summary) Meets() bool {
	if meets := s.Kind().Meets; meets != nil {
		return meets(*s.GoalValue, s.ofGoal())
	}
	return s.Finished && *s.FinishS <= s.ObjectiveS
}

// ofGoal is what the run came to, as kinds of objectives see it.
func (s *Summary) ofGoal() objective.Run {
	return objective.Run{
		USD:       s.CostUSD,
		UsefulH:   s.UsefulH,
		InstanceH: s.InstanceH,
		Finished:  s.Finished,
		LateH:     max(0, s.LastedS()-s.ObjectiveS) / 3600,
	}
}

// LateUSD returns what the run pays for being late, until its job was done or it was cut; 0 where the objective asks
// for nothing.
func (s *Summary) LateUSD() float64 {
	if late := s.Kind().LateUSD; late != nil && s.GoalValue != nil {
		return late(*s.GoalValue, s.ofGoal())
	}
	return 0
}

// Late reports whether the job was done after the time limit, or never.
func (s *Summary) Late() bool { return !s.Finished || *s.FinishS > s.ObjectiveS }

// NeverRevoked is what Summary.Replay says of a pool whose capacity was not recorded.
const NeverRevoked = "capacity not recorded: unlimited, never revoked"

// Capacity is how recorded capacity was replayed (Replay); empty of many jobs, whose servers are their own.
func (s *Summary) Capacity() string {
	if s.ManyJobs() {
		return ""
	}
	return s.Replay
}

// From says where a run began and what it drew, for titles.
func (s *Summary) From() string { return From(s.StartS, s.Seed) }

// From names a start, in seconds from the beginning of recorded traces, and a seed: "start 10.56 h, seed 1". The
// beginning itself is not named.
func From(startS float64, seed int64) string {
	if startS == 0 {
		return fmt.Sprintf("seed %d", seed)
	}
	return fmt.Sprintf("start %.4g h, seed %d", startS/3600, seed)
}

// Summary is one run: one row of summary.parquet. Optional values are nil
// where they do not exist.
type Summary struct {
	Run       int64   `col:"run" doc:"number of the run, unique in the set, from 0"`
	Scenario  string  `col:"scenario" doc:"name of the study"`
	Objective string  `col:"objective" doc:"label of the objective"`
	Policy    string  `col:"policy" doc:"name of the policy"`
	Seed      int64   `col:"seed" doc:"seed of the run's random numbers, 0 to 2^63-1"`
	StartS    float64 `col:"start_s" added:"10" unit:"s" doc:"where in recorded traces the run began, from their beginning"`
	Market    string  `col:"market" doc:"name of the market; contains the word synthetic unless it is recorded"`
	Replay    string  `col:"replay" doc:"how the trace was replayed as machines that come and go, with its parameters"`
	Unit      string  `col:"unit" doc:"what confidence intervals count as independent: start (all seeds of a start replay one recorded trace) or seed (each draws a market of its own)"`
	Oracle    bool    `col:"oracle" doc:"whether the policy knew the future or exactly how long jobs run, or paid nothing for changes: a bound, not a policy to use"`

	ObjectiveLoss  float64  `col:"objective_loss" doc:"training loss to reach"`
	ObjectiveS     float64  `col:"objective_s" unit:"s" doc:"deadline, from the submission"`
	ObjectiveShare *float64 `col:"objective_share" unit:"1" doc:"required share of runs that meet it, above 0 and at most 1; null if none was stated"`
	Goal           string   `col:"goal" added:"11" doc:"what the objective asks for: deadline, samples_per_s (a deadline by a mean rate), within_budget (a deadline and a budget), usd_per_h_late (a soft deadline), most_work (for a budget) or ettr (effective training time ratio); empty in older tables: deadline"`
	GoalValue      *float64 `col:"goal_value" added:"11" doc:"its number: samples per second, the budget in USD, USD for an hour that is late, or the ratio; null of a deadline"`
	Met            bool     `col:"met" doc:"whether the objective was met: the loss was reached by the deadline; of within_budget, also for no more than the budget; of usd_per_h_late, whether it was reached; of most_work, whether the run kept to its budget; of ettr, whether useful_h / instance_h is at least the ratio; of many jobs, whose deadline is the horizon, whether all were done"`
	Finished       bool     `col:"finished" doc:"whether the loss was reached before the horizon; of many jobs, whether all were done"`
	FinishS        *float64 `col:"finish_s" unit:"s" doc:"when it was reached, from the submission; of many jobs, when the last was done, from the start of the run; null if it was not"`
	MissedByS      *float64 `col:"missed_by_s" unit:"s" doc:"how long after the deadline; null if it was met, or never reached"`
	LossReached    float64  `col:"loss_reached" doc:"training loss at the end of the run; +Inf if training never began"`
	Progress       float64  `col:"progress" unit:"1" doc:"share of the way from the start of training to the goal, 0 to 1"`
	Iterations     float64  `col:"iterations" doc:"training iterations kept to the end, normalised by the model"`
	Samples        float64  `col:"samples" doc:"training samples kept to the end"`

	CostUSD            float64 `col:"cost_usd" unit:"USD" doc:"total cost: the parts below, less the refund"`
	CostSpotUSD        float64 `col:"cost_spot_usd" unit:"USD" doc:"spot instances, and servers that many jobs share"`
	CostOnDemandUSD    float64 `col:"cost_on_demand_usd" unit:"USD" doc:"instances on demand"`
	CostPSUSD          float64 `col:"cost_ps_usd" unit:"USD" doc:"parameter servers"`
	CostStorageUSD     float64 `col:"cost_storage_usd" unit:"USD" doc:"storage of checkpoints and data"`
	CostTransferUSD    float64 `col:"cost_transfers_usd" added:"5" unit:"USD" doc:"moves of the job's state between zones, regions and clouds"`
	CostDisksUSD       float64 `col:"cost_disks_usd" added:"5" unit:"USD" doc:"disks of instances"`
	CostCheckpointsUSD float64 `col:"cost_checkpoints_usd" added:"6" unit:"USD" doc:"checkpoints that are kept"`
	CostCommitmentsUSD float64 `col:"cost_commitments_usd" added:"6" unit:"USD" doc:"reservations, savings plans and capacity blocks, used or not"`
	CostTaxUSD         float64 `col:"cost_tax_usd" added:"5" unit:"USD" doc:"tax on all the rest"`
	CostLateUSD        float64 `col:"cost_late_usd" added:"16" unit:"USD" doc:"what being late costs under a soft deadline (usd_per_h_late), until the job was done or the run was cut; it is no bill of a cloud"`
	CostTopupUSD       float64 `col:"cost_topup_usd" unit:"USD" doc:"minimum charges and rounding up to whole seconds"`
	CostUnallocatedUSD float64 `col:"cost_unallocated_usd" added:"7" unit:"USD" doc:"part of cost_usd that is no job's: commitments, less what they cover (below 0 where that would have cost more); it and cost_usd of all jobs add up to that of the run"`
	RefundUSD          float64 `col:"refund_usd" unit:"USD" doc:"refund for free first hours, at least 0; already subtracted from cost_usd"`

	BoundUSD     *float64 `col:"bound_usd" added:"6" unit:"USD" doc:"no policy that meets the objective here costs less, even one that knows the future; +Inf: no policy can meet it; null if bounds were not asked for"`
	BoundSpotUSD *float64 `col:"bound_spot_usd" added:"6" unit:"USD" doc:"bound_usd of policies that hold nothing on demand; null if bounds were not asked for"`
	// WithoutForesightUSD is a number of one seed, whose mean over seeds is a lower bound.
	WithoutForesightUSD *float64 `col:"without_foresight_usd" added:"12" unit:"USD" doc:"its mean over seeds is a lower bound of the expected cost of policies that do not know the future and always meet the objective; of one seed it says nothing; null where the law of the market is not known, and if bounds were not asked for"`

	Regret *float64 `col:"regret" added:"6" unit:"1" doc:"cost_usd / bound_usd - 1 of a run that met its objective; null for others, and if bounds were not asked for"`

	Preemptions   int64 `col:"preemptions" doc:"instances that the cloud revoked"`
	Notices       int64 `col:"notices" doc:"preemption notices"`
	Unannounced   int64 `col:"unannounced" doc:"preemptions without a notice"`
	Requests      int64 `col:"requests" doc:"instances requested"`
	Grants        int64 `col:"grants" doc:"instances granted"`
	Decisions     int64 `col:"decisions" doc:"times that the policy was called"`
	Wakes         int64 `col:"wakes" doc:"of these, calls by the policy's own timer"`
	PlanChanges   int64 `col:"plan_changes" doc:"decisions that changed the plan"`
	QuotaRefusals int64 `col:"quota_refusals" doc:"instances requested beyond a quota"`
	Moves         int64 `col:"moves" added:"5" doc:"moves of the job's state to a pool where it was not, where moves take money or time"`

	Failures int64   `col:"failures" added:"12" doc:"failures of machines (failures of market.servers, pools and commitments), whether a job had them or not; 0 where they do not fail"`
	Repairs  int64   `col:"repairs" added:"12" doc:"machines that came back after a failure"`
	Retired  int64   `col:"retired" added:"12" doc:"machines that are not repaired any more"`
	DownH    float64 `col:"down_h" added:"12" unit:"machine-hours" doc:"machines that were down"`
	DownMax  int64   `col:"down_max" added:"14" unit:"machines" doc:"machines that were down at one time, at most"`
	SpareH   float64 `col:"spare_h" added:"12" unit:"machine-hours" doc:"spares that jobs held"`
	ETTR     float64 `col:"ettr" added:"12" unit:"1" doc:"effective training time ratio: useful_h / instance_h; 0 where nothing was held"`

	Replaced int64 `col:"replaced" added:"17" doc:"machines that were replaced as they were slow (slow.do)"`

	InstanceH      float64 `col:"instance_h" unit:"instance-hours" doc:"held in total: the sum of the nine below; of many jobs on a cluster GPU-hours, as there an instance is a GPU"`
	UsefulH        float64 `col:"useful_h" unit:"instance-hours" doc:"training whose progress was kept to the end"`
	RedundantH     float64 `col:"redundant_h" unit:"instance-hours" doc:"replicated computation"`
	CheckpointingH float64 `col:"checkpointing_h" unit:"instance-hours" doc:"stopped to save, also where the model does so by itself (model.gang.save_s)"`
	RestoringH     float64 `col:"restoring_h" unit:"instance-hours" doc:"stopped to load a save"`
	ReconfiguringH float64 `col:"reconfiguring_h" unit:"instance-hours" doc:"stopped to change the layout"`
	LostH          float64 `col:"lost_h" unit:"instance-hours" doc:"training whose progress was lost with instances, whether it was repeated or not"`
	WaitingH       float64 `col:"waiting_h" unit:"instance-hours" doc:"ready but not training: no feasible layout, or a spare"`
	StartingH      float64 `col:"starting_h" unit:"instance-hours" doc:"granted, not yet ready"`
	SlowedH        float64 `col:"slowed_h" added:"17" unit:"instance-hours" doc:"training, as far as fast machines would not have needed the time: slow machines (slow of market.servers and pools)"`

	Jobs           int64    `col:"jobs" added:"6" doc:"jobs of the run; 1 unless many share a cluster. The columns down to ftf_max are of many jobs, and null or 0 of one"`
	JobsDone       int64    `col:"jobs_done" added:"6" doc:"jobs that were done before the horizon"`
	JobsDropped    int64    `col:"jobs_dropped" added:"6" doc:"jobs that were left out because the cluster has too few GPUs for them"`
	JCTMeanS       *float64 `col:"jct_mean_s" added:"6" unit:"s" doc:"mean job completion time, from submission to finish, of the jobs that were done"`
	JCTP50S        *float64 `col:"jct_p50_s" added:"6" unit:"s" doc:"its 50th percentile: the smallest that is not below that share of them"`
	JCTP90S        *float64 `col:"jct_p90_s" added:"6" unit:"s" doc:"its 90th percentile"`
	JCTP95S        *float64 `col:"jct_p95_s" added:"6" unit:"s" doc:"its 95th percentile"`
	JCTP99S        *float64 `col:"jct_p99_s" added:"6" unit:"s" doc:"its 99th percentile"`
	JCTMaxS        *float64 `col:"jct_max_s" added:"6" unit:"s" doc:"the longest"`
	QueueMeanS     *float64 `col:"queue_mean_s" added:"6" unit:"s" doc:"mean time that jobs were without GPUs on which they can train, of all jobs"`
	QueueP95S      *float64 `col:"queue_p95_s" added:"6" unit:"s" doc:"its 95th percentile"`
	Utilisation    *float64 `col:"utilisation" added:"6" unit:"1" doc:"share of the GPU time that was there, of servers and of spot pools within the quota, until the last job was done, in which jobs held it; null where there was none"`
	Suspensions    int64    `col:"suspensions" added:"6" doc:"times that the scheduler stopped a job"`
	JobsStopped    int64    `col:"job_preemptions" added:"6" doc:"times that the cloud stopped a job, by taking GPUs or announcing it"`
	JobMoves       int64    `col:"job_moves" added:"6" doc:"times that a job went on on other GPUs than before"`
	JobResizes     int64    `col:"job_resizes" added:"17" doc:"times that a job went on on another number of GPUs than before (not counted as moves)"`
	Deadlines      int64    `col:"deadlines" added:"6" doc:"jobs that have a deadline"`
	Punctual       int64    `col:"deadlines_met" added:"6" doc:"of these, jobs that were done by then"`
	LateMeanS      *float64 `col:"late_mean_s" added:"7" unit:"s" doc:"mean lateness of the jobs with a deadline: time from it to the finish, 0 for those in time; of jobs that were not done until the end of the run, at least"`
	LateP95S       *float64 `col:"late_p95_s" added:"7" unit:"s" doc:"its 95th percentile"`
	FTFMean        *float64 `col:"ftf_mean" added:"6" unit:"1" doc:"mean finish-time fairness, see jobs.parquet"`
	FTFMax         *float64 `col:"ftf_max" added:"6" unit:"1" doc:"the largest"`
	CostCoveredUSD float64  `col:"cost_covered_usd" added:"7" unit:"USD" doc:"what commitments covered of the jobs' instances, at the price of each moment"`

	Cells          int64    `col:"cells" added:"6" doc:"cells of notebooks that ran; 0 of other runs. The columns down to peak_hosts are of notebooks, and null or 0 of other runs"`
	DelayMeanS     *float64 `col:"cell_delay_mean_s" added:"6" unit:"s" doc:"mean time that cells began later than they were due; work that was lost with a host counts as delay"`
	DelayP50S      *float64 `col:"cell_delay_p50_s" added:"6" unit:"s" doc:"its 50th percentile: the smallest that is not below that share of the cells"`
	DelayP95S      *float64 `col:"cell_delay_p95_s" added:"6" unit:"s" doc:"its 95th percentile"`
	DelayP99S      *float64 `col:"cell_delay_p99_s" added:"6" unit:"s" doc:"its 99th percentile"`
	DelayMaxS      *float64 `col:"cell_delay_max_s" added:"6" unit:"s" doc:"the longest"`
	ProvisionedGPU *float64 `col:"gpu_h" added:"6" unit:"GPU-hours" doc:"GPU-hours of the hosts that were held"`
	ReservedGPU    *float64 `col:"reserved_gpu_h" added:"6" unit:"GPU-hours" doc:"bound: if every session held its GPUs from start to stop"`
	ActiveGPU      *float64 `col:"active_gpu_h" added:"6" unit:"GPU-hours" doc:"bound: cells alone; nobody can do with less"`
	SavedGPU       *float64 `col:"saved_gpu_h" added:"6" unit:"GPU-hours" doc:"reserved_gpu_h less gpu_h: negative if the hosts cost more than they save"`
	CellsLost      int64    `col:"cells_lost" added:"6" doc:"times that a cell was lost with its host, and ran again"`
	LostGPU        *float64 `col:"lost_gpu_h" added:"6" unit:"GPU-hours" doc:"what those cells had done"`
	CellsMoved     int64    `col:"cells_moved" added:"6" doc:"cells that waited for the state of their kernel to move"`
	PeakHosts      int64    `col:"peak_hosts" added:"6" doc:"most hosts held at one time, without those that stop"`

	HorizonS float64 `col:"horizon_s" unit:"s" doc:"when the run is cut if it has not finished, from its start"`
	Assumes  string  `col:"assumes" added:"15" doc:"what the policy assumes that its source does not say: settings with their values, and names (marigram policies NAME says what they mean); empty if it assumes nothing"`
	Warnings string  `col:"warnings" doc:"why the numbers may mislead, separated by semicolons; empty if there is no warning"`
}

// tolerance is how far sums may be off, relative to the larger of 1 and the
// sum itself: rounding of some ten terms, and nothing else.
const tolerance = 1e-9
