package results

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
	State      string  `col:"state" was:"saw" doc:"what the policy saw, in brief: instances by state and prices"`
	Inputs     string  `col:"inputs" doc:"other numbers that the decision used: names, values and units, separated by semicolons"`
	Plan       string  `col:"plan" was:"wants" doc:"instances that the policy asks for, and the layout of the job"`
	Reason     string  `col:"reason" was:"why" doc:"reason that the policy gave"`
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
	Chosen bool    `col:"chosen" was:"taken" doc:"whether it was chosen"`
}
