package traces

// Pool is one kind of machine in one place. Text that the source does not give
// is empty.
type Pool struct {
	PoolID       int32  `col:"pool_id" doc:"number of the pool: its place in this table"`
	Name         string `col:"name" doc:"unique name: zone/instance type, and the product where it is not Linux/UNIX; the file name if the source states neither"`
	Cloud        string `col:"cloud" dict:"true" doc:"aws, gcp, azure, synthetic; empty: unknown"`
	Region       string `col:"region" dict:"true" doc:"region; empty: unknown"`
	Zone         string `col:"zone" dict:"true" doc:"zone name; on AWS it means different places in different accounts; empty: unknown"`
	ZoneID       string `col:"zone_id" dict:"true" doc:"zone ID, the same place in every account; empty: unknown"`
	AccountTag   string `col:"account_tag" dict:"true" doc:"account of these zone names, as stated at import; may be empty"`
	InstanceType string `col:"instance_type" dict:"true" doc:"instance type; empty: unknown"`
	GPUType      string `col:"gpu_type" dict:"true" doc:"GPU model; empty: unknown"`
	Product      string `col:"product" dict:"true" doc:"operating system as the cloud sells it, Linux/UNIX for instance; may be empty"`
	Market       string `col:"market" dict:"true" doc:"spot, preemptible, on_demand, capacity_block or unknown"`
	GPUCount     int32  `col:"gpu_count" doc:"GPUs in one machine; 0: unknown"`
	GPUMemMiB    *int32 `col:"gpu_mem_mib" unit:"MiB" doc:"memory of one GPU"`
	OnDemandNano *int64 `col:"on_demand_nanousd_per_hour" unit:"nano-USD/h" doc:"list price on demand"`
}

// PriceRow says what a machine of a pool costs from an instant on.
type PriceRow struct {
	T            int64  `col:"t" type:"timestamp" unit:"us UTC" doc:"instant from which it holds"`
	UncertainUs  int64  `col:"t_uncertainty_us" unit:"us" doc:"the true instant lies in (t-u, t]; 0: exact"`
	Seq          int32  `col:"seq" doc:"order among the rows of this table with one t"`
	PoolID       int32  `col:"pool_id" dict:"true" doc:"the pool"`
	SrcFile      int32  `col:"src_file" dict:"true" doc:"source file: place in the manifest's source.files"`
	SrcRow       int64  `col:"src_row" doc:"line in the source file, from 1; in a JSON array of numbers the index, from 0"`
	Origin       string `col:"origin" dict:"true" doc:"api, poll, probe or derived"`
	PriceNanoUSD int64  `col:"price_nanousd_per_hour" unit:"nano-USD/h" doc:"price of one machine, exact"`
	Currency     string `col:"currency" dict:"true" doc:"currency of the source, USD"`
	CarryIn      bool   `col:"carry_in" doc:"last change before the stated start of the observation"`
	Heartbeat    bool   `col:"heartbeat" doc:"repeats the price of the previous row of the pool"`
}

// CapacityRow says how many machines of a pool there were from an instant on.
type CapacityRow struct {
	T           int64  `col:"t" type:"timestamp" unit:"us UTC" doc:"instant from which it holds"`
	UncertainUs int64  `col:"t_uncertainty_us" unit:"us" doc:"the true instant lies in (t-u, t]; 0: exact, or the first observation"`
	Seq         int32  `col:"seq" doc:"order among the rows of this table with one t"`
	PoolID      int32  `col:"pool_id" dict:"true" doc:"the pool"`
	SrcFile     int32  `col:"src_file" dict:"true" doc:"source file: place in the manifest's source.files"`
	SrcRow      int64  `col:"src_row" doc:"line in the source file, from 1; in a JSON array of numbers the index, from 0"`
	Origin      string `col:"origin" dict:"true" doc:"api, poll, probe or derived"`
	Available   int32  `col:"available" doc:"available machines, 0 to cap"`
	Cap         int32  `col:"cap" dict:"true" doc:"machines requested; if the source does not state it, the largest count of its file"`
	Censored    bool   `col:"censored_at_cap" doc:"available equals cap: there may have been more"`
}

// ProbeRow says what became of one attempt to launch machines, which were given
// back at once: what could be launched, never how long a held machine lives.
type ProbeRow struct {
	T           int64  `col:"t" type:"timestamp" unit:"us UTC" doc:"instant at which it began"`
	UncertainUs int64  `col:"t_uncertainty_us" unit:"us" doc:"the true instant lies in (t-u, t]; 0: exact"`
	Seq         int32  `col:"seq" doc:"order among the rows of this table with one t"`
	PoolID      int32  `col:"pool_id" dict:"true" doc:"the pool"`
	SrcFile     int32  `col:"src_file" dict:"true" doc:"source file: place in the manifest's source.files"`
	SrcRow      int64  `col:"src_row" doc:"line in the source file, from 1; in JSON the place in its array, from 0"`
	Origin      string `col:"origin" dict:"true" doc:"api, poll, probe or derived"`
	TEnd        *int64 `col:"t_end" type:"timestamp" unit:"us UTC" doc:"instant at which it ended; null: not recorded"`
	Requested   int32  `col:"requested" dict:"true" doc:"machines requested"`
	Fulfilled   int32  `col:"fulfilled" doc:"machines launched, 0 to requested"`
	Exhausted   *int32 `col:"exhausted" doc:"number of no-capacity answers; null: not recorded"`
	Outcome     string `col:"outcome" dict:"true" doc:"ok, partial, capacity, quota, error or timeout"`
}

// JobRow is one submitted job of a cluster's log, or of a generator. It belongs to no
// pool. Text that the source does not give is empty.
type JobRow struct {
	T           int64    `col:"t" type:"timestamp" unit:"us UTC" doc:"instant of the submission"`
	Seq         int32    `col:"seq" doc:"order among the rows of this table with one t"`
	SrcFile     int32    `col:"src_file" dict:"true" doc:"source file: place in the manifest's source.files"`
	SrcRow      int64    `col:"src_row" doc:"line in the source file, from 1"`
	JobID       string   `col:"job_id" doc:"name of the job; empty: not recorded"`
	GPUs        float64  `col:"gpus" doc:"GPUs requested, all at once; clusters that share GPUs have fractions"`
	MinGPUs     *int32   `col:"min_gpus" added:"1" doc:"fewest GPUs on which it trains, where their number may change while it does; null: it may not"`
	MaxGPUs     *int32   `col:"max_gpus" added:"1" doc:"most GPUs on which it trains; null where min_gpus is"`
	GPUType     string   `col:"gpu_type" dict:"true" doc:"GPU models requested, separated by |; empty: any, or not recorded"`
	Tasks       *int32   `col:"tasks" doc:"tasks, workers or servers that the GPUs are spread over; null: not recorded"`
	CPUs        *float64 `col:"cpus" doc:"CPU cores requested, of all tasks; null: not recorded"`
	MemoryGB    *float64 `col:"memory_gb" unit:"GB" doc:"main memory requested, of all tasks; null: not recorded"`
	DurationUs  *int64   `col:"duration_us" unit:"us" doc:"run time, recorded or planned; null: not recorded"`
	DurationOn  string   `col:"duration_on" dict:"true" doc:"GPU model to which the run time refers; empty: not recorded"`
	RequestedUs *int64   `col:"requested_us" added:"1" unit:"us" doc:"run time that the user asked for or expected; null: not recorded"`
	QueueUs     *int64   `col:"queue_us" unit:"us" doc:"time from submission to the first start, as recorded; null: not recorded"`
	Work        *float64 `col:"work" doc:"number of training steps; null: not recorded"`
	Model       string   `col:"model" dict:"true" doc:"what it runs, the key of tables of speeds: the network, or the kind of work; empty: not recorded"`
	Class       string   `col:"class" dict:"true" doc:"priority class in the words of the source; spot: may be interrupted; empty: not recorded"`
	Weight      *float64 `col:"weight" doc:"weight among jobs that share; null: not recorded, 1"`
	DeadlineUs  *int64   `col:"deadline_us" unit:"us" doc:"deadline, from the submission; null: none recorded"`
	User        string   `col:"user" dict:"true" doc:"pseudonym of the user, as published; empty: not recorded"`
	VC          string   `col:"vc" dict:"true" doc:"virtual cluster, queue or organisation; empty: not recorded"`
	Status      string   `col:"status" dict:"true" doc:"how it ended, in the words of the source; empty: not recorded"`
}

// InstanceEventRow says what happened to one machine.
type InstanceEventRow struct {
	T           int64  `col:"t" type:"timestamp" unit:"us UTC" doc:"instant at which it happened"`
	UncertainUs int64  `col:"t_uncertainty_us" unit:"us" doc:"the true instant lies in (t-u, t]; 0: exact"`
	Seq         int32  `col:"seq" doc:"order among the rows of this table with one t"`
	PoolID      int32  `col:"pool_id" dict:"true" doc:"the pool"`
	SrcFile     int32  `col:"src_file" dict:"true" doc:"source file: place in the manifest's source.files"`
	SrcRow      int64  `col:"src_row" doc:"line in the source file, from 1"`
	Origin      string `col:"origin" dict:"true" doc:"api, poll, probe or derived"`
	InstanceID  string `col:"instance_id" dict:"true" doc:"name of the machine; not unique if the source reuses names"`
	Kind        string `col:"kind" dict:"true" doc:"request, launch, launch_fail, running, rebalance, notice, preempt or terminate"`
	Reason      string `col:"reason" dict:"true" doc:"capacity, price, user, max_lifetime, host_error or unknown"`
	NoticeUs    *int64 `col:"notice_us" unit:"us" doc:"warning time before the preemption; null: not recorded"`
	Synthetic   bool   `col:"synthetic" doc:"generated, not observed"`
}

// GapRow says that nothing is known of a pool for a while; it does not say that
// there was no capacity.
type GapRow struct {
	PoolID int32  `col:"pool_id" dict:"true" doc:"the pool"`
	TStart int64  `col:"t_start" type:"timestamp" unit:"us UTC" doc:"first instant of the gap"`
	TEnd   int64  `col:"t_end" type:"timestamp" unit:"us UTC" doc:"first instant after the gap"`
	Why    string `col:"why" dict:"true" doc:"why nothing is known"`
}

// Kinds of instance event.
const (
	KindLaunch     = "launch"      // it was given
	KindLaunchFail = "launch_fail" // it was asked for and not given
	KindRunning    = "running"     // it was seen to run; the first of launch and running is when it comes
	KindNotice     = "notice"      // it was warned that it will be taken
	KindRebalance  = "rebalance"   // it was warned that it may be taken
	KindPreempt    = "preempt"     // it was taken
	// KindTerminate: it ended, given back or for a cause that is not recorded. It goes at
	// the first of preempt and terminate.
	KindTerminate = "terminate"
)

// Reasons of instance events.
const (
	ReasonCapacity  = "capacity" // taken for others
	ReasonUser      = "user"     // given back: no loss of capacity
	ReasonUnknown   = "unknown"
	ReasonHostError = "host_error" // it failed
)

// Where a row came from (its column origin).
const (
	OriginAPI     = "api"
	OriginPoll    = "poll"
	OriginProbe   = "probe"
	OriginDerived = "derived"
)

// Comes reports whether a machine begins to be there: it was launched, or seen to
// run for the first time.
func (r *InstanceEventRow) Comes() bool { return r.Kind == KindRunning || r.Kind == KindLaunch }

// Goes reports whether a machine is there no longer.
func (r *InstanceEventRow) Goes() bool { return r.Kind == KindPreempt || r.Kind == KindTerminate }
