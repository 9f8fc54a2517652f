package spec

import (
	"cmp"
	"time"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Market describes the market: synthetic or recorded.
type Market struct {
	Synthetic   *Synthetic        `json:"synthetic,omitempty" jsonschema:"a generated market, not a recorded one; another one for every seed"`
	Traces      []Trace           `json:"traces,omitempty" jsonschema:"recorded traces by name"`
	Servers     []cluster.Servers `json:"servers,omitempty" needs:"/jobs" jsonschema:"the cluster that many jobs share (jobs), next to or instead of pools"`
	Tiers       []cluster.Tier    `json:"tiers,omitempty" needs:"/jobs,servers" items:"16" jsonschema:"what racks of servers are in, from the narrowest tier: racks, then for instance pods and buildings; if absent, racks (per_rack) and nothing above them"`
	Pools       []Pool            `json:"pools,omitempty" jsonschema:"instance types that policies may request"`
	OnDemand    string            `json:"on_demand,omitempty" names:"type,region" jsonschema:"where on demand is sold: type (one pool of each instance type, wherever the job is: its state moves there for nothing) or region (a pool in each region that has pools of the type, to which moves cost what they cost); type if absent"`
	Replay      Replay            `json:"replay,omitzero" jsonschema:"how a trace is replayed as machines that come and go"`
	Boot        Boot              `json:"boot,omitzero" jsonschema:"time from the grant of an instance until it trains"`
	Billing     Billing           `json:"billing,omitzero" jsonschema:"what the cloud charges"`
	Quotas      []Quota           `json:"quotas,omitempty" jsonschema:"quotas over several pools: of a zone, a region, a cloud or an instance type, in addition to those of each pool"`
	Commitments []Commitment      `json:"commitments,omitempty" jsonschema:"instances that are paid whether they are used or not: reservations, savings plans, capacity blocks"`
	Moves       *Moves            `json:"moves,omitempty" jsonschema:"what it takes to carry the job's state to another zone, region or cloud; if absent, moves are free and take no time"`
}

// Synthetic asks for the built-in synthetic market, calibrated to published
// statistics of recorded ones, or for pools that are on and off at random.
type Synthetic struct {
	Regions  int `json:"regions,omitempty" min:"1" max:"64" jsonschema:"number of regions; 1 if absent"`
	Zones    int `json:"zones,omitempty" min:"1" max:"26" jsonschema:"zones in each region; 2 if absent"`
	Machines int `json:"machines,omitempty" min:"1" max:"1000000" jsonschema:"largest number of machines of a pool; its quota if absent"`

	OnS        float64 `json:"on_s,omitempty" min:"60" max:"1e8" needs:"off_s" jsonschema:"mean time for which a pool has all its machines, then none for off_s: exponential times, each pool by itself; if absent, the calibrated levels and shocks"`
	OffS       float64 `json:"off_s,omitempty" min:"60" max:"1e8" needs:"on_s" jsonschema:"mean time for which a pool has no machines (with on_s)"`
	PriceShare float64 `json:"price_share,omitempty" above:"0" max:"1" jsonschema:"constant price on spot, as a share of the on-demand price; if absent, the calibrated walk of prices between 30 and 60 %"`
}

// Size returns the number of regions and of zones in each.
func (x *Synthetic) Size() (regions, zones int) {
	regions, zones = max(x.Regions, 1), x.Zones
	if zones == 0 {
		zones = 2
	}
	return regions, zones
}

// Trace names a recorded trace.
type Trace struct {
	Name           string  `json:"name" jsonschema:"name by which pools refer to it"`
	Path           string  `json:"path" jsonschema:"file or folder, relative to this file, or pulled:NAME for a data set of marigram traces list"`
	Format         string  `json:"format,omitempty" jsonschema:"format (marigram traces import --help lists them); recognised by content if absent"`
	From           string  `json:"from,omitempty" excludes:"from_s" jsonschema:"instant that becomes the start of a run, RFC 3339; the trace's own start if absent. Traces begin together in a run: the same instant in each keeps them aligned on the calendar"`
	FromS          float64 `json:"from_s,omitempty" min:"0" jsonschema:"the same in seconds after the trace's own start"`
	AllowTruncated bool    `json:"allow_truncated,omitempty" jsonschema:"accept an incomplete page of prices (with a NextToken)"`
	Polarity       string  `json:"polarity,omitempty" names:"1=available,1=preempted" jsonschema:"meaning of a 1, if the format does not say: 1=available or 1=preempted"`
	Unit           string  `json:"unit,omitempty" jsonschema:"unit of the times of node events and of counts at times, such as 1s, 1ms or 1h, if the file does not say; 1ms of node events if absent"`
	Disorder       string  `json:"disorder,omitempty" names:"file_order,sort_last_wins" jsonschema:"rows that go back in time: file_order or sort_last_wins; an error if absent"`
}

// Step returns the unit of the times of a trace; 0: it is not given.
func (h *Trace) Step() time.Duration {
	d, _ := ParseDuration(cmp.Or(h.Unit, "0s")) // it was checked
	return d
}

// Pool describes one instance type and where it is sold.
type Pool struct {
	Type            string  `json:"type" jsonschema:"instance type; the model's profile must have it"`
	GPU             string  `json:"gpu,omitempty" jsonschema:"model of GPU of many jobs (jobs), for which an instance is one GPU; the type if absent"`
	Zone            string  `json:"zone,omitempty" jsonschema:"zone (recorded markets)"`
	Region          string  `json:"region,omitempty" jsonschema:"region (recorded markets); the trace's if absent"`
	Cloud           string  `json:"cloud,omitempty" names:"aws,gcp,azure" jsonschema:"aws, gcp or azure: its notice is the default; aws if absent"`
	Quota           *int    `json:"quota" min:"0" max:"1048576" jsonschema:"maximum number of spot instances in each zone; 0: on demand only, without prices and capacity"`
	OnDemandQuota   int     `json:"on_demand_quota,omitempty" min:"0" max:"1048576" jsonschema:"maximum number of on-demand instances; none if absent"`
	OnDemandUSDPerH float64 `json:"on_demand_usd_per_h,omitempty" min:"0" max:"100000" jsonschema:"list price on demand"`

	SpotUSDPerH float64 `json:"spot_usd_per_h,omitempty" above:"0" max:"100000" needs:"on_demand_usd_per_h" jsonschema:"mean of the generated prices on spot (synthetic markets); some 40 % of the list price if absent"`

	Prices   *Series           `json:"prices,omitempty" jsonschema:"where the prices come from (recorded markets)"`
	Capacity *Series           `json:"capacity,omitempty" jsonschema:"where the capacity comes from (recorded markets); unlimited if absent"`
	Failures *cluster.Failures `json:"failures,omitempty" needs:"on_demand_quota" jsonschema:"how its machines on demand fail and come back, with those of reservations; they do not if absent"`
	Slow     *cluster.Slow     `json:"slow,omitempty" jsonschema:"how its machines, on spot and on demand, become slow and are fast again; they do not if absent"`
	Queue    *Queue            `json:"queue,omitempty" jsonschema:"makes the pool queued capacity: requests wait for an announced time, instances go after a fixed one"`
	Replay   *Replay           `json:"replay,omitempty" jsonschema:"what differs from the replay of the market, key by key; with another adapter, scale, copies, bid and lifetime are the pool's alone"`
}

// Moves says what it takes to carry a job's state: its size, its price and its time. The
// state is carried to a pool of another zone, region or cloud when the job begins to train
// there; the first place is free.
type Moves struct {
	GB       float64  `json:"gb" above:"0" max:"1e6" jsonschema:"size of the state: weights and the optimiser's, as a checkpoint has them"`
	Tariff   string   `json:"tariff,omitempty" either:"price" jsonschema:"aws-2025 (pairs of AWS's regions), tiers-2020 (AWS, Azure and Google by size) or a CSV file with the columns from, to, usd_per_gb and gb_per_s, relative to this file"`
	USDPerGB *float64 `json:"usd_per_gb,omitempty" min:"0" max:"10000" either:"price" jsonschema:"one price instead of a tariff, for every other zone, region and cloud"`
	GBPerS   *float64 `json:"gb_per_s,omitempty" min:"0" max:"1e6" jsonschema:"rate; if absent, that of the tariff's table or else as SkyNomad takes it: 9.72 Gbit/s within a region, 8.2 within a continent, 3.59 beyond; 0: moves take no time"`

	ByTier []TierMove `json:"by_tier,omitempty" either:"price" excludes:"gb_per_s" jsonschema:"instead of a tariff or one price, for the servers of many jobs: what moves within one rack take, then within one place of each further tier of market.tiers, and last beyond all; within a server they are free"`
}

// TierMove is what moves take between servers that are so far apart.
type TierMove struct {
	USDPerGB float64 `json:"usd_per_gb,omitempty" min:"0" max:"10000" jsonschema:"price; 0 if absent"`
	GBPerS   float64 `json:"gb_per_s,omitempty" min:"0" max:"1e6" jsonschema:"rate; 0 or absent: moves take no time"`
}

// The assumptions of capacity where only prices were recorded (Series.Typical).
const (
	TypicalLow  = "low"
	TypicalBand = "band"
	TypicalHigh = "high"
)

// Typical returns the assumption of a pool's capacity; empty: it has none.
func (p *Pool) Typical() string {
	if p.Capacity == nil {
		return ""
	}
	return p.Capacity.Typical
}

// Series points at one pool of a trace.
type Series struct {
	Trace   string  `json:"trace,omitempty" jsonschema:"name of a trace; of prices it may be left out where usd_per_h is given: that of the capacity"`
	Typical string  `json:"typical,omitempty" excludes:"trace" names:"low,band,high" jsonschema:"instead, capacity that is assumed where only prices were recorded (capacity only), drawn for every seed: low (one in five machines is lost in a month: the advisor's limit of its highest band), band (machines last as long as those of the GPU in the public sets, typically) or high (capacity falls in bulk and is gone for hours, as in the records of V100 and H100)"`
	Pool    string  `json:"pool,omitempty" jsonschema:"name of its pool (marigram traces stats prints them); may be left out if there is only one"`
	USDPerH float64 `json:"usd_per_h,omitempty" min:"0" max:"10000" jsonschema:"constant price, for a trace without prices (prices only)"`
}

// Replay is the assumption under which a trace is replayed.
type Replay struct {
	Adapter       string   `json:"adapter,omitempty" names:"count_cap,binary_all,per_event,launch_only,lifetime_resample,bid" jsonschema:"count_cap (as many as were counted), binary_all (any count above 0 is capacity for the quota), per_event (the recorded machines), launch_only (counts limit launches, and lifetimes are drawn at random), lifetime_resample (capacity for the quota, and lifetimes are drawn at random) or bid (a price above the bid revokes all: the market before 2018); if absent, count_cap, or binary_all where the trace only says 0 or 1"`
	Victim        string   `json:"victim,omitempty" names:"random,newest,oldest" jsonschema:"which machine is revoked when a count falls: random, newest or oldest; random if absent"`
	NoticeS       *float64 `json:"notice_s,omitempty" min:"0" max:"86400" jsonschema:"warning before a machine is revoked; the cloud's if absent: AWS 120, GCP and Azure 30"`
	NoticeMissing *float64 `json:"notice_missing,omitempty" min:"0" max:"1" jsonschema:"probability that no notice comes, 0 to 1; 0 if absent"`
	Scale         *float64 `json:"scale,omitempty" above:"0" max:"1000" jsonschema:"multiplies counts (count_cap, launch_only); 1 if absent"`
	Copies        *int     `json:"copies,omitempty" min:"1" max:"1000" jsonschema:"number of machines that each recorded machine stands for: they appear and disappear together (count_cap, per_event, launch_only, lifetime_resample; for the last two the quota must be a multiple); 1 if absent"`
	BidUSDPerH    *float64 `json:"bid_usd_per_h,omitempty" above:"0" max:"10000" jsonschema:"maximum price paid for a machine (bid); it is compared with the prices of the capacity, or with those of the pool if it has no capacity"`

	Lifetime *Lifetime `json:"lifetime,omitempty" jsonschema:"distribution of how long held machines last (launch_only, lifetime_resample); for lifetime_resample the recorded lifetimes of the pool's capacity if absent"`
}

// Lifetime is a distribution of how long held machines last, for replays that
// draw lifetimes at random. They are independent: such machines are never lost in
// bulk.
type Lifetime struct {
	Distribution string `json:"distribution" names:"exponential,bathtub,kaplan_meier" jsonschema:"exponential (machines do not age), bathtub (many end early, few in between, all by an age) or kaplan_meier (the recorded lifetimes of a trace)"`

	MeanH float64 `json:"mean_h,omitempty" min:"0.00027" max:"876000" needs:"distribution=exponential" jsonschema:"mean lifetime (exponential)"`
	A     float64 `json:"a_share,omitempty" needs:"distribution=bathtub" jsonschema:"A of A (1 - exp(-t/tau1) + exp((t-b)/tau2)), the share that has ended by t hours (bathtub)"`
	Tau1H float64 `json:"tau1_h,omitempty" needs:"distribution=bathtub" jsonschema:"tau1: time constant of early ends (bathtub)"`
	Tau2H float64 `json:"tau2_h,omitempty" needs:"distribution=bathtub" jsonschema:"tau2: time constant of late ends (bathtub)"`
	BH    float64 `json:"b_h,omitempty" min:"0.00027" max:"876000" needs:"distribution=bathtub" jsonschema:"b: the age around which all end (bathtub)"`
	Trace string  `json:"trace,omitempty" needs:"distribution=kaplan_meier" jsonschema:"name of the trace with the lifetimes, all of it whatever its from (kaplan_meier)"`
	Pool  string  `json:"pool,omitempty" needs:"distribution=kaplan_meier" jsonschema:"name of its pool (kaplan_meier); all its machines if absent"`
	MaxH  float64 `json:"max_h,omitempty" min:"0.00027" max:"876000" jsonschema:"longest lifetime, 24 for Google's preemptible VMs; none if absent"`
}

// The distributions of lifetimes.
const (
	Exponential = "exponential"
	Bathtub     = "bathtub"
	KaplanMeier = "kaplan_meier"
)

// Boot is a lognormal distribution of boot times (sim.DefaultBoot).
type Boot struct {
	MedianS *float64 `json:"median_s,omitempty" min:"0" max:"86400" jsonschema:"median; 126 if absent"`
	Sigma   *float64 `json:"sigma,omitempty" min:"0" max:"3" jsonschema:"standard deviation of the logarithm; 0.1 if absent"`
}

// Distribution returns the boot time that a spec asks for, sim.DefaultBoot where
// it is silent.
func (b *Boot) Distribution() sim.Boot {
	out := sim.DefaultBoot()
	if b.MedianS != nil {
		out.Median = units.Seconds(*b.MedianS)
	}
	out.Sigma = stats.Or(b.Sigma, out.Sigma)
	return out
}

// Billing names the billing rules; the default is per second, a minute at
// least, with the parameter server.
type Billing struct {
	IncrementS             *float64       `json:"increment_s,omitempty" min:"0" max:"86400" jsonschema:"unit to which the paid time of an instance is rounded up; 1 if absent"`
	MinimumS               *float64       `json:"minimum_s,omitempty" min:"0" max:"86400" jsonschema:"minimum paid time of an instance; 60 if absent"`
	FreeFirstHour          bool           `json:"free_first_hour_on_revocation,omitempty" jsonschema:"an instance revoked within its first hour costs nothing"`
	SkipParameterServers   bool           `json:"skip_parameter_servers,omitempty" jsonschema:"leave the parameter server out of the bill, as the spotDNN paper does"`
	ParameterServerUSDPerH *float64       `json:"parameter_server_usd_per_h,omitempty" min:"0" max:"100000" jsonschema:"price on demand; 0.192 (m5.xlarge, us-east-1) if absent"`
	Clouds                 []CloudBilling `json:"clouds,omitempty" jsonschema:"what differs in a cloud: per second with a minimum, or whole hours"`
	Checkpoint             *Checkpoint    `json:"checkpoint,omitempty" jsonschema:"checkpoints that are kept, as many and as long as they are; in addition to storage_gb"`
	DiskGB                 float64        `json:"disk_gb,omitempty" min:"0" max:"1e6" jsonschema:"disk of each instance while it is held"`
	DiskUSDPerGBMonth      float64        `json:"disk_usd_per_gb_month,omitempty" min:"0" max:"1000" jsonschema:"price of these disks"`
	Tax                    float64        `json:"tax,omitempty" min:"0" max:"1" jsonschema:"share of all the rest that is added to the bill: 0.19 for 19 %"`
	StorageGB              float64        `json:"storage_gb,omitempty" min:"0" max:"1e9" jsonschema:"checkpoint storage"`
	StorageUSDPerGBMonth   float64        `json:"storage_usd_per_gb_month,omitempty" min:"0" max:"1000" jsonschema:"price of storage"`
}
