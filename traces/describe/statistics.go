package describe

// Statistics describes a set. What the set cannot tell is absent.
//
// A drop event is one step at which the count falls, or one instant at which
// machines go that were not given back; its bulk is the number of machines that it takes. The mean time
// between preemptions (MTBP) is available machine-hours per machine dropped.
type Statistics struct {
	TraceID   string           `json:"trace_id"`
	Semantics string           `json:"semantics"`
	First     string           `json:"first"`      // start of the observation
	Last      string           `json:"last"`       // its end
	Hours     float64          `json:"hours"`      // between the two
	ZoneHours float64          `json:"zone_hours"` // pool-hours with known capacity
	Pools     []PoolStatistics `json:"pools"`
	Falls

	Availability *float64         `json:"availability,omitempty"` // machine-hours available of those asked for
	Probes       *ProbeStatistics `json:"launch_probes,omitempty"`
	Jobs         *JobStatistics   `json:"jobs,omitempty"`

	Lifetimes      *LifetimeStatistics            `json:"lifetimes,omitempty"`
	LifetimesByGPU map[string]*LifetimeStatistics `json:"lifetimes_by_gpu,omitempty"`

	Correlations      []Correlation `json:"correlations,omitempty"`
	CorrelationNote   string        `json:"correlation_note,omitempty"` // why there are none
	AvailabilitySame  *float64      `json:"corr_availability_same_region,omitempty"`
	AvailabilityCross *float64      `json:"corr_availability_cross_region,omitempty"`
	PriceSame         *float64      `json:"corr_price_same_region,omitempty"`
	PriceCross        *float64      `json:"corr_price_cross_region,omitempty"`
}

// PoolStatistics describes one pool.
type PoolStatistics struct {
	Pool    string  `json:"pool"`
	Region  string  `json:"region,omitempty"`
	Rows    int     `json:"rows"`    // of capacity, or events
	Changes int     `json:"changes"` // of the count, the first value included
	First   string  `json:"first,omitempty"`
	Last    string  `json:"last,omitempty"` // last row
	Hours   float64 `json:"hours"`          // of known capacity
	Ones    int     `json:"ones"`           // rows with at least one machine
	Sum     int64   `json:"sum"`            // of the counts of all rows
	Min     int     `json:"min"`
	Peak    int     `json:"peak"`
	Cap     int     `json:"cap,omitempty"`
	TimeAvg float64 `json:"time_avg"` // machines, time weighted
	Adds    int     `json:"add,omitempty"`
	Removes int     `json:"remove,omitempty"`

	Gaps     int     `json:"gaps,omitempty"`      // stretches in which nothing is known
	GapHours float64 `json:"gap_hours,omitempty"` // of the observation
	Falls

	Availability *float64            `json:"availability,omitempty"` // time average of cap
	Probes       *ProbeStatistics    `json:"launch_probes,omitempty"`
	Lifetimes    *LifetimeStatistics `json:"lifetimes,omitempty"`
	Faults       *FaultStatistics    `json:"faults,omitempty"`
	Price        *PriceStatistics    `json:"price,omitempty"`
}

// FaultStatistics describes how the machines of a pool fail and come back. A machine is down from its fault, or from
// the first of those that overlap, until it is back or the observation ends.
type FaultStatistics struct {
	N         int     `json:"n"`
	Machines  int     `json:"machines"` // in all
	Faulty    int     `json:"faulty"`   // machines with a fault
	Many      int     `json:"five_or_more"`
	MaxFaults int     `json:"most"` // faults of one machine
	Rate      float64 `json:"per_1000_machine_days"`
	DownMean  float64 `json:"down_mean"` // machines, time weighted
	DownPeak  int     `json:"down_peak"`
	// Hours that machines were down: of those that came back.
	Median float64 `json:"down_median_h"`
	Mean   float64 `json:"down_mean_h"`
	P90    float64 `json:"down_p90_h"`
}

// PriceStatistics describes the prices of one pool, USD per hour.
type PriceStatistics struct {
	Rows          int      `json:"rows"`
	Changes       int      `json:"effective_changes_incl_first"`
	Heartbeats    int      `json:"heartbeats"`
	First         string   `json:"first"`
	Last          string   `json:"last"` // last row
	Min           float64  `json:"min_usd_per_hour"`
	Max           float64  `json:"max_usd_per_hour"`
	Mean          *float64 `json:"mean_usd_per_hour,omitempty"` // time weighted
	ChangesPerDay *float64 `json:"changes_per_day,omitempty"`   // the first not included
	StepMedian    *float64 `json:"step_median,omitempty"`       // of |change|/price before
	StepP95       *float64 `json:"step_p95,omitempty"`
	StepMax       *float64 `json:"step_max,omitempty"`
	OnDemand      *float64 `json:"on_demand_usd_per_hour,omitempty"`
	OverOnDemand  *float64 `json:"price_over_on_demand,omitempty"` // mean price of on-demand
	MinOver       *float64 `json:"min_over_on_demand,omitempty"`
	MaxOver       *float64 `json:"max_over_on_demand,omitempty"`
}

// Falls describes how machines are lost.
type Falls struct {
	DropEvents    int         `json:"drop_events"`
	DropInstances int         `json:"drop_instances"`
	Bulk          map[int]int `json:"bulk,omitempty"`                // drop events by machines taken
	BulkMean      *float64    `json:"bulk_mean,omitempty"`           // machines of a drop event
	BulkPlural    *float64    `json:"bulk_at_least_two,omitempty"`   // share of drop events that take two or more
	DropsPerHour  *float64    `json:"drops_per_zone_hour,omitempty"` // drop events an hour of known capacity
	MTBPHours     *float64    `json:"mtbp_h,omitempty"`              // of a machine
	// MTBPCaveat is true where the loss is of capacity that could be launched
	// or of unknown meaning, not of machines that ran.
	MTBPCaveat bool `json:"mtbp_is_launch_probe,omitempty"`
}

// Correlation is Pearson's coefficient of two pools' series on a common grid,
// over the instants at which both are known.
type Correlation struct {
	What       string  `json:"what"` // availability or price
	A          string  `json:"a"`
	B          string  `json:"b"`
	SameRegion bool    `json:"same_region"`
	R          float64 `json:"r"`
	Points     int     `json:"points"`
}

// LifetimeStatistics describes how long machines live, in hours. The survival
// is Kaplan and Meier's; what it cannot tell is absent.
type LifetimeStatistics struct {
	N         int      `json:"n"`                  // lifetimes
	Preempted int      `json:"preempted"`          // lost: taken, or ended for a cause that is not recorded
	Censored  int      `json:"censored"`           // given back, or there when last seen
	NoStart   int      `json:"no_start,omitempty"` // not seen to come, only to go; not among the lifetimes
	S1        *float64 `json:"s_1h,omitempty"`
	S6        *float64 `json:"s_6h,omitempty"`
	S12       *float64 `json:"s_12h,omitempty"`
	S24       *float64 `json:"s_24h,omitempty"`
	S24h30    *float64 `json:"s_24_5h,omitempty"`
	Median    *float64 `json:"median_h,omitempty"`
	// ShareLong is the share of lifetimes of at least 23.5 h: those at the limit
	// of a preemptible machine, which is 24 h.
	ShareLong *float64 `json:"share_at_least_23_5h,omitempty"`
}

// ProbeStatistics describes launch probes: what could be launched when it was
// asked for, never how long a machine that is held lives.
type ProbeStatistics struct {
	Probes    int            `json:"probes"`
	Requested int64          `json:"requested"` // machines asked for, all probes
	Fulfilled int64          `json:"fulfilled"` // machines that came
	Exhausted int64          `json:"exhausted"` // answers that there is no capacity, where recorded
	Outcomes  map[string]int `json:"outcomes"`
	Success   *float64       `json:"success,omitempty"`   // fulfilled of requested; nil where failures are not recorded
	AnyShare  *float64       `json:"any_share,omitempty"` // share of probes with at least one machine
	AllShare  *float64       `json:"all_share,omitempty"` // share of probes with all machines: censored there
}
