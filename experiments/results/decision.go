package results

// Decision is one answer of a policy: one row of decisions.parquet.
type Decision struct {
	Run       int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy    string `col:"policy" doc:"name of the policy"`
	Scenario  string `col:"scenario" doc:"name of the study"`
	Objective string `col:"objective" doc:"label of the objective"`
	Seed      int64  `col:"seed" doc:"what the run's luck is drawn from"`

	AtS        float64 `col:"t_s" unit:"s" doc:"when it was asked, from the start of the run"`
	Trigger    string  `col:"trigger" doc:"what it was asked for: what had happened"`
	Saw        string  `col:"saw" doc:"what it could see, briefly"`
	Wants      string  `col:"wants" doc:"what it wants to hold, and how the job is to be laid out"`
	Why        string  `col:"why" doc:"the reason that it gave"`
	Loss       float64 `col:"loss" doc:"training loss at that time; +Inf before training begins"`
	RemainingS float64 `col:"remaining_s" unit:"s" doc:"time left to the objective; negative when it is past"`
	CostUSD    float64 `col:"cost_usd" unit:"USD" doc:"what the run had cost at that time"`
}
