package results

// The values of Summary.Unit.
const (
	ByStart = "start"
	BySeed  = "seed"
)

// LastedS returns how long the run lasted, s: until its job finished, else until
// the horizon.
func (s *Summary) LastedS() float64 {
	if s.FinishS != nil {
		return *s.FinishS
	}
	return s.HorizonS
}

// Summary is one run: one row of summary.parquet. Optional values are nil
// where they do not exist.
type Summary struct {
	Run       int64  `col:"run" doc:"number of the run, unique in the set, from 0"`
	Scenario  string `col:"scenario" doc:"name of the study"`
	Objective string `col:"objective" doc:"label of the objective"`
	Policy    string `col:"policy" doc:"name of the policy"`
	Seed      int64  `col:"seed" doc:"what the run's luck is drawn from, 0 to 2^63-1"`
	Market    string `col:"market" doc:"name of the market; has the word synthetic in it unless it is recorded"`
	Replay    string `col:"replay" doc:"how the history was turned into machines that come and go, with its parameters"`
	Unit      string `col:"unit" doc:"what runs are independent by, and intervals count: start (all seeds of a start replay one recorded history) or seed (each draws a market of its own)"`
	Oracle    bool   `col:"oracle" doc:"whether the policy knew the future, or was spared what changes cost: a bound, not a choice"`

	ObjectiveLoss  float64  `col:"objective_loss" doc:"training loss to reach"`
	ObjectiveS     float64  `col:"objective_s" unit:"s" doc:"time to reach it in, from the submission"`
	ObjectiveShare *float64 `col:"objective_share" unit:"1" doc:"share of the runs that is to meet it, above 0 and at most 1; null if none was stated"`
	Met            bool     `col:"met" doc:"whether the loss was reached in that time"`
	Finished       bool     `col:"finished" doc:"whether the loss was reached before the horizon"`
	FinishS        *float64 `col:"finish_s" unit:"s" doc:"when it was reached, from the submission; null if it was not"`
	MissedByS      *float64 `col:"missed_by_s" unit:"s" doc:"how much later than the objective; null if it was met, or never reached"`
	LossReached    float64  `col:"loss_reached" doc:"training loss at the end of the run; +Inf if training never began"`
	Progress       float64  `col:"progress" unit:"1" doc:"share of the way from the start of training to the goal, 0 to 1"`
	Iterations     float64  `col:"iterations" doc:"training iterations that count, normalised by the model"`
	Samples        float64  `col:"samples" doc:"training samples that count"`

	CostUSD         float64 `col:"cost_usd" unit:"USD" doc:"what the run cost: the parts below, less the refund"`
	CostSpotUSD     float64 `col:"cost_spot_usd" unit:"USD" doc:"spot instances"`
	CostOnDemandUSD float64 `col:"cost_on_demand_usd" unit:"USD" doc:"instances on demand"`
	CostPSUSD       float64 `col:"cost_ps_usd" unit:"USD" doc:"parameter servers"`
	CostStorageUSD  float64 `col:"cost_storage_usd" unit:"USD" doc:"storage of checkpoints and data"`
	CostTopupUSD    float64 `col:"cost_topup_usd" unit:"USD" doc:"minimum charges and rounding up to whole seconds"`
	RefundUSD       float64 `col:"refund_usd" unit:"USD" doc:"free first hours, at least 0; cost_usd is what is left without it"`

	Preemptions   int64 `col:"preemptions" doc:"instances that the cloud took"`
	Notices       int64 `col:"notices" doc:"notices of a preemption to come"`
	Unannounced   int64 `col:"unannounced" doc:"preemptions without a notice"`
	Requests      int64 `col:"requests" doc:"instances asked for"`
	Grants        int64 `col:"grants" doc:"instances given"`
	Decisions     int64 `col:"decisions" doc:"times that the policy was asked"`
	Wakes         int64 `col:"wakes" doc:"of them on a timer of its own"`
	PlanChanges   int64 `col:"plan_changes" doc:"decisions that changed the plan"`
	QuotaRefusals int64 `col:"quota_refusals" doc:"instances asked for beyond a quota"`

	InstanceH      float64 `col:"instance_h" unit:"instance-hours" doc:"held in all: the sum of the eight below"`
	UsefulH        float64 `col:"useful_h" unit:"instance-hours" doc:"training that counts: what it came to was there at the end"`
	RedundantH     float64 `col:"redundant_h" unit:"instance-hours" doc:"replicated computation"`
	CheckpointingH float64 `col:"checkpointing_h" unit:"instance-hours" doc:"stopped to save"`
	RestoringH     float64 `col:"restoring_h" unit:"instance-hours" doc:"stopped to load a save"`
	ReconfiguringH float64 `col:"reconfiguring_h" unit:"instance-hours" doc:"stopped to change the layout"`
	RedoneH        float64 `col:"redone_h" unit:"instance-hours" doc:"training that was lost at a loss of instances, whether it was done again or not"`
	WaitingH       float64 `col:"waiting_h" unit:"instance-hours" doc:"ready, but no feasible layout, or a spare"`
	StartingH      float64 `col:"starting_h" unit:"instance-hours" doc:"given, not yet ready"`

	HorizonS float64 `col:"horizon_s" unit:"s" doc:"when the run was cut if it had not ended, from its start"`
	Warnings string  `col:"warnings" doc:"why the numbers may mislead, separated by semicolons; empty if there is no reason"`
}
