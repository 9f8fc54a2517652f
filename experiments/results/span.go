package results

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
