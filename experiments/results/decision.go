package results

// Decision is one answer of a policy: one row of decisions.parquet.
type Decision struct {
	Run       int64  `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy    string `col:"policy" doc:"name of the policy"`
	Scenario  string `col:"scenario" doc:"name of the study"`
	Objective string `col:"objective" doc:"label of the objective"`
	Seed      int64  `col:"seed" doc:"what the run's luck is drawn from"`

	Number     int64   `col:"decision" doc:"number of the decision among those of its run that are kept, from 0"`
	AtS        float64 `col:"t_s" unit:"s" doc:"when it was asked, from the start of the run"`
	Trigger    string  `col:"trigger" doc:"what it was asked for: what had happened"`
	Saw        string  `col:"saw" doc:"what it could see, briefly"`
	Inputs     string  `col:"inputs" doc:"what it reckoned with beside that: names, numbers and units, separated by semicolons"`
	Wants      string  `col:"wants" doc:"what it wants to hold, and how the job is to be laid out"`
	Why        string  `col:"why" doc:"the reason that it gave"`
	Changed    bool    `col:"changed" doc:"whether it wants anything else than before"`
	Loss       float64 `col:"loss" doc:"training loss at that time; +Inf before training begins"`
	RemainingS float64 `col:"remaining_s" unit:"s" doc:"time left to the objective; negative when it is past"`
	CostUSD    float64 `col:"cost_usd" unit:"USD" doc:"what the run had cost at that time"`
}

// Candidate is one answer that a policy weighed up in a decision: one row of
// candidates.parquet.
type Candidate struct {
	Run      int64   `col:"run" doc:"number of the run, as in summary.parquet"`
	Policy   string  `col:"policy" doc:"name of the policy"`
	Decision int64   `col:"decision" doc:"number of the decision, as in decisions.parquet"`
	AtS      float64 `col:"t_s" unit:"s" doc:"when it was asked, from the start of the run"`

	Name  string  `col:"candidate" doc:"a cluster, a layout or an action"`
	Score float64 `col:"score" doc:"what it was judged by, in the unit beside it"`
	Unit  string  `col:"unit" doc:"of the score"`
	Note  string  `col:"note" doc:"what else was known of it; empty if nothing"`
	Taken bool    `col:"taken" doc:"whether it was chosen"`
}
