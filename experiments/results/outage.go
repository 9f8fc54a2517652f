package results

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
