package spec

import (
	"time"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Quota bounds how many instances of several pools are held at one time. What is empty
// fits every pool.
type Quota struct {
	Instances *int   `json:"instances" min:"1" max:"1048576" jsonschema:"maximum number of instances of all these pools together, at least 1"`
	Cloud     string `json:"cloud,omitempty" jsonschema:"of pools in this cloud; any if absent"`
	Region    string `json:"region,omitempty" jsonschema:"of pools in this region; any if absent"`
	Zone      string `json:"zone,omitempty" jsonschema:"of pools in this zone; any if absent"`
	Type      string `json:"type,omitempty" jsonschema:"of pools of this instance type; any if absent"`
	OnDemand  bool   `json:"on_demand,omitempty" jsonschema:"of pools on demand, which clouds count apart; of the others if absent"`
}

// String says what the quota is of.
func (q *Quota) String() string {
	text := "spot"
	if q.OnDemand {
		text = "on demand"
	}
	for _, part := range []string{q.Type, q.Zone, q.Region, q.Cloud} {
		if part != "" {
			text += " " + part
		}
	}
	return text
}

// Fits reports whether the quota is of a pool.
func (q *Quota) Fits(p *sim.Pool) bool {
	is := func(want, has string) bool { return want == "" || want == has }
	return q.OnDemand == p.OnDemand && is(q.Type, p.InstanceType) &&
		is(q.Cloud, p.Cloud) && is(q.Region, p.Region) && is(q.Zone, p.Zone)
}

// Where on demand is sold.
const (
	onDemandByType   = "type"
	onDemandByRegion = "region"
)

// The kinds of commitments. A reservation and a savings plan are billed alike: they cover
// what is held on demand.
const (
	Reservation   = "reservation"
	SavingsPlan   = "savings_plan"
	CapacityBlock = "capacity_block"
)

// Commitment is instances that are paid from a start to an end, whether they are used or not.
type Commitment struct {
	Kind      string            `json:"kind" names:"reservation,savings_plan,capacity_block" jsonschema:"reservation or savings_plan (covers instances held on demand, which then cost nothing more) or capacity_block (a pool of its own from its start to its end, at no further price)"`
	Type      string            `json:"type" jsonschema:"instance type; one of the pools has it"`
	Instances int               `json:"instances" min:"1" max:"1048576" jsonschema:"how many, at least 1"`
	USDPerH   float64           `json:"usd_per_h" min:"0" max:"100000" jsonschema:"price of one instance, used or not"`
	FromH     float64           `json:"from_h,omitempty" min:"0" max:"175680" jsonschema:"start, hours after the start of the traces; a run that begins later pays from then on"`
	UntilH    *float64          `json:"until_h,omitempty" above:"0" max:"175680" jsonschema:"end, which is paid for even if the job ends before; if absent, the run's part of a long commitment is paid, to the end of the run (not of a capacity_block)"`
	NoticeS   *float64          `json:"notice_s,omitempty" min:"0" max:"86400" needs:"kind=capacity_block" jsonschema:"warning before the end of a capacity_block; 600 if absent, as on AWS"`
	Cloud     string            `json:"cloud,omitempty" jsonschema:"where it is; that of the first pool of its type if absent. Of a reservation or savings_plan only with on_demand: region"`
	Region    string            `json:"region,omitempty" jsonschema:"where it is; that of the first pool of its type if absent. Of a reservation or savings_plan only with on_demand: region"`
	Failures  *cluster.Failures `json:"failures,omitempty" needs:"kind=capacity_block" jsonschema:"how the machines of a capacity_block fail and come back; they do not if absent"`
	Zone      string            `json:"zone,omitempty" needs:"kind=capacity_block" jsonschema:"where a capacity_block is; that of the first pool of its type if absent"`
}

// Until returns the end; sim.Never where there is none.
func (c *Commitment) Until() sim.Time {
	if c.UntilH == nil {
		return sim.Never
	}
	return sim.Time(0).Add(units.Seconds(*c.UntilH * 3600))
}

// From returns the start.
func (c *Commitment) From() sim.Time { return sim.Time(0).Add(units.Seconds(c.FromH * 3600)) }

// Notice returns the warning before the end of a capacity block: Amazon's instances go 30 minutes before the end of
// their block and are announced 40 minutes before it (EC2 user guide, "Capacity Blocks for ML").
func (c *Commitment) Notice() time.Duration { return units.Seconds(stats.Or(c.NoticeS, 600)) }

// Queue is queued capacity: a flexible start, or a job queue of a cloud.
type Queue struct {
	WaitS   float64 `json:"wait_s,omitempty" min:"0" max:"632448000" jsonschema:"time from the first request of a job until it can be granted, announced at the request; the median, with wait_sigma"`
	Sigma   float64 `json:"wait_sigma,omitempty" min:"0" max:"3" needs:"wait_s" jsonschema:"standard deviation of the logarithm of the wait, which is drawn at the request and announced; 0 if absent: all waits are alike"`
	LengthS float64 `json:"length_s,omitempty" min:"0" max:"632448000" jsonschema:"time from the grant of an instance until it goes, with the notice of the pool; 0: it stays"`
}

// CloudBilling is what differs in one cloud.
type CloudBilling struct {
	Cloud      string   `json:"cloud" jsonschema:"aws, gcp or azure, as pools have it; synthetic for a synthetic market whose pools say none"`
	IncrementS *float64 `json:"increment_s,omitempty" min:"0" max:"86400" jsonschema:"unit to which the paid time of an instance is rounded up, 3600 for whole hours; that of billing if absent"`
	MinimumS   *float64 `json:"minimum_s,omitempty" min:"0" max:"86400" jsonschema:"minimum paid time of an instance; that of billing if absent"`
}

// Checkpoint is what is kept of a job's saves.
type Checkpoint struct {
	GB            float64 `json:"gb" above:"0" max:"1e9" jsonschema:"size of one"`
	Keep          int     `json:"keep,omitempty" min:"1" max:"1000000" jsonschema:"number of finished checkpoints that are kept, in addition to one that is being written; 1 if absent"`
	USDPerGBMonth float64 `json:"usd_per_gb_month" min:"0" max:"1000" jsonschema:"price of their storage"`
}

// Times returns the median wait and the length of the queue.
func (q *Queue) Times() (wait, length time.Duration) {
	return units.Seconds(q.WaitS), units.Seconds(q.LengthS)
}
