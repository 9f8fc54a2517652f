package traces

import (
	"fmt"
	"math"
	"slices"
)

// Set is one trace: what was observed of a number of pools. Every table is in
// ascending order of (t, seq).
type Set struct {
	Manifest       Manifest
	Pools          []Pool // pool_id is the index
	Prices         []PriceRow
	Capacity       []CapacityRow
	Probes         []ProbeRow
	InstanceEvents []InstanceEventRow
	Signals        []SignalRow
	Jobs           []JobRow
	Gaps           []GapRow
}

// Pool is one kind of machine in one place. Text that the source does not give
// is empty.
type Pool struct {
	PoolID       int32  `col:"pool_id" doc:"number of the pool: its place in this table"`
	Name         string `col:"name" doc:"unique name: zone/instance type, and the product where it is not Linux/UNIX; the file's name where the source tells neither"`
	Cloud        string `col:"cloud" dict:"true" doc:"aws, gcp, azure, synthetic; empty: not known"`
	Region       string `col:"region" dict:"true" doc:"region; empty: not known"`
	Zone         string `col:"zone" dict:"true" doc:"zone name; on AWS it means different places in different accounts; empty: not known"`
	ZoneID       string `col:"zone_id" dict:"true" doc:"zone ID, the same place in every account; empty: not known"`
	AccountTag   string `col:"account_tag" dict:"true" doc:"whose zone names these are, as stated at import; may be empty"`
	InstanceType string `col:"instance_type" dict:"true" doc:"instance type; empty: not known"`
	GPUType      string `col:"gpu_type" dict:"true" doc:"GPU model; empty: not known"`
	Product      string `col:"product" dict:"true" doc:"operating system as the cloud sells it, Linux/UNIX for instance; may be empty"`
	Market       string `col:"market" dict:"true" doc:"spot, preemptible, on_demand, capacity_block or unknown"`
	GPUCount     int32  `col:"gpu_count" doc:"GPUs in one machine; 0: not known"`
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
	Heartbeat    bool   `col:"heartbeat" doc:"repeats the price of the pool's row before it"`
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
	Available   int32  `col:"available" doc:"machines there, 0 to cap"`
	Cap         int32  `col:"cap" dict:"true" doc:"machines asked for; where the source does not state it, the largest count of its file"`
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
	Requested   int32  `col:"requested" dict:"true" doc:"machines asked for"`
	Fulfilled   int32  `col:"fulfilled" doc:"machines that came, 0 to requested"`
	Exhausted   *int32 `col:"exhausted" doc:"answers that there is no capacity; null: not recorded"`
	Outcome     string `col:"outcome" dict:"true" doc:"ok, partial, capacity, quota, error or timeout"`
}

// SignalRow is what a cloud says of a pool without promising it: scores, bands
// of eviction rates, savings.
type SignalRow struct {
	T           int64    `col:"t" type:"timestamp" unit:"us UTC" doc:"instant from which it holds"`
	UncertainUs int64    `col:"t_uncertainty_us" unit:"us" doc:"the true instant lies in (t-u, t]; 0: exact"`
	Seq         int32    `col:"seq" doc:"order among the rows of this table with one t"`
	PoolID      int32    `col:"pool_id" dict:"true" doc:"the pool"`
	SrcFile     int32    `col:"src_file" dict:"true" doc:"source file: place in the manifest's source.files"`
	SrcRow      int64    `col:"src_row" doc:"line in the source file, from 1"`
	Origin      string   `col:"origin" dict:"true" doc:"api, poll, probe or derived"`
	Name        string   `col:"name" dict:"true" doc:"sps, t2, t3, if_band (value: index of the band), eviction_rate, preemption_rate (share of the machines stopped in the interval that were preempted) or savings (against on-demand)"`
	Unit        string   `col:"unit" dict:"true" doc:"unit of value, lo and hi: 1, percent, percent_per_hour, percent_per_month; of an if_band, of lo and hi only"`
	Value       *float64 `col:"value" doc:"the value; null where only a band is given"`
	Lo          *float64 `col:"lo" doc:"lower end of the band; null: open, or no band"`
	Hi          *float64 `col:"hi" doc:"upper end of the band; null: open, or no band"`
}

// JobRow is one submitted job of a cluster's log. It belongs to no pool.
type JobRow struct {
	T          int64    `col:"t" type:"timestamp" unit:"us UTC" doc:"instant of the submission"`
	Seq        int32    `col:"seq" doc:"order among the rows of this table with one t"`
	SrcFile    int32    `col:"src_file" dict:"true" doc:"source file: place in the manifest's source.files"`
	SrcRow     int64    `col:"src_row" doc:"line in the source file, from 1"`
	JobID      string   `col:"job_id" doc:"name of the job; empty: not recorded"`
	GPUs       int32    `col:"gpus" doc:"GPUs asked for"`
	GPUType    string   `col:"gpu_type" dict:"true" doc:"GPU model asked for; empty: any, or not recorded"`
	MinWorkers *int32   `col:"min_workers" doc:"least workers; null: not recorded"`
	MaxWorkers *int32   `col:"max_workers" doc:"most workers; null: not recorded"`
	DurationUs *int64   `col:"duration_us" unit:"us" doc:"how long it ran or is to run; null: not recorded"`
	Work       *float64 `col:"work" doc:"steps of training to do; null: not recorded"`
	Model      string   `col:"model" dict:"true" doc:"what it trains; empty: not recorded"`
	Class      string   `col:"class" dict:"true" doc:"HP or spot; empty: not recorded"`
	DeadlineUs *int64   `col:"deadline_us" unit:"us" doc:"objective time from the submission; null: none recorded"`
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
	InstanceID  string `col:"instance_id" dict:"true" doc:"name of the machine; used again where the source does"`
	Kind        string `col:"kind" dict:"true" doc:"request, launch, launch_fail, running, rebalance, notice, preempt or terminate"`
	Reason      string `col:"reason" dict:"true" doc:"capacity, price, user, max_lifetime, host_error or unknown"`
	NoticeUs    *int64 `col:"notice_us" unit:"us" doc:"warning before it was taken; null: not recorded"`
	BatchID     *int64 `col:"batch_id" doc:"machines that went together; null: not recorded"`
	Synthetic   bool   `col:"synthetic" doc:"made, not observed"`
}

// GapRow says that nothing is known of a pool for a while; it does not say that
// there was no capacity.
type GapRow struct {
	PoolID int32  `col:"pool_id" dict:"true" doc:"the pool"`
	TStart int64  `col:"t_start" type:"timestamp" unit:"us UTC" doc:"first instant of the gap"`
	TEnd   int64  `col:"t_end" type:"timestamp" unit:"us UTC" doc:"first instant after the gap"`
	Why    string `col:"why" dict:"true" doc:"why nothing is known"`
}

// Kinds of instance event that this package acts on.
const (
	KindLaunch     = "launch"      // it was given
	KindLaunchFail = "launch_fail" // it was asked for and not given
	KindRunning    = "running"     // it was seen to run; the first of launch and running is when it comes
	KindPreempt    = "preempt"     // it was taken
	KindTerminate  = "terminate"   // it ended, given back or for a cause that is not recorded; the first of preempt and terminate is when it goes
)

// Reasons of instance events that this package acts on.
const (
	ReasonCapacity = "capacity"
	ReasonUser     = "user" // given back: no loss of capacity
	ReasonUnknown  = "unknown"
)

// Where a row came from.
const (
	originAPI     = "api"
	originPoll    = "poll"
	originProbe   = "probe"
	originDerived = "derived"
)

// row is what the event tables have in common.
type row[T any] interface {
	*T
	key() (t int64, seq, pool int32)
	setKey(seq, pool int32)
}

func (r *PriceRow) key() (int64, int32, int32)         { return r.T, r.Seq, r.PoolID }
func (r *CapacityRow) key() (int64, int32, int32)      { return r.T, r.Seq, r.PoolID }
func (r *InstanceEventRow) key() (int64, int32, int32) { return r.T, r.Seq, r.PoolID }
func (r *ProbeRow) key() (int64, int32, int32)         { return r.T, r.Seq, r.PoolID }
func (r *SignalRow) key() (int64, int32, int32)        { return r.T, r.Seq, r.PoolID }
func (r *JobRow) key() (int64, int32, int32)           { return r.T, r.Seq, 0 }
func (r *ProbeRow) setKey(seq, pool int32)             { r.Seq, r.PoolID = seq, pool }
func (r *SignalRow) setKey(seq, pool int32)            { r.Seq, r.PoolID = seq, pool }
func (r *JobRow) setKey(seq, _ int32)                  { r.Seq = seq }
func (r *PriceRow) setKey(seq, pool int32)             { r.Seq, r.PoolID = seq, pool }
func (r *CapacityRow) setKey(seq, pool int32)          { r.Seq, r.PoolID = seq, pool }
func (r *InstanceEventRow) setKey(seq, pool int32)     { r.Seq, r.PoolID = seq, pool }

// order gives the rows their final pool numbers, sorts them by (t, pool),
// keeping the order in which a pool's rows came, and numbers those of one t.
func order[T any, R row[T]](rows []T, pools []int32) {
	for i := range rows {
		_, _, p := R(&rows[i]).key()
		R(&rows[i]).setKey(0, pools[p])
	}
	copy(rows, sorted(rows, func(r *T) (int64, int64) {
		t, _, p := R(r).key()
		return t, int64(p)
	}))
	var last int64
	var seq int32
	for i := range rows {
		t, _, p := R(&rows[i]).key()
		if i == 0 || t != last {
			seq = 0
		}
		R(&rows[i]).setKey(seq, p)
		last, seq = t, seq+1
	}
}

// checkRows reports rows that are out of order or belong to no pool.
func checkRows[T any, R row[T]](table string, rows []T, pools int) error {
	var lastT int64
	var lastSeq int32
	for i := range rows {
		t, seq, p := R(&rows[i]).key()
		switch {
		case p < 0 || int(p) >= pools:
			return fmt.Errorf("%s row %d: pool_id %d, expected 0 to %d", table, i, p, pools-1)
		case t < minInstant || t > maxInstant:
			return fmt.Errorf("%s row %d: t %d us, expected %d to %d", table, i, t, minInstant, maxInstant)
		case i > 0 && (t < lastT || t == lastT && seq <= lastSeq):
			return fmt.Errorf("%s row %d: (t, seq) (%d, %d) after (%d, %d), expected ascending order", table, i, t, seq, lastT, lastSeq)
		}
		lastT, lastSeq = t, seq
	}
	return nil
}

// Check reports the first thing that is wrong with the set: rows out of order
// or of a pool that is not there, negative counts and prices, and a manifest
// that counts other rows.
func (s *Set) Check() error {
	if err := s.checkPools(); err != nil {
		return err
	}
	n := len(s.Pools)
	for _, err := range []error{
		checkRows("prices", s.Prices, n), checkRows("capacity", s.Capacity, n),
		checkRows("instance_events", s.InstanceEvents, n), checkRows("probes", s.Probes, n), checkRows("signals", s.Signals, n),
		checkRows("jobs", s.Jobs, max(n, 1)), checkPrices(s.Prices), s.checkValues(), s.checkGaps(),
	} {
		if err != nil {
			return err
		}
	}
	if got := s.counts(); got != s.Manifest.Rows {
		return fmt.Errorf("manifest counts %+v rows, the tables have %+v", s.Manifest.Rows, got)
	}
	return s.checkSpan()
}

func (s *Set) checkSpan() error {
	m := &s.Manifest
	if m.TEndUs < m.TStartUs {
		return fmt.Errorf("manifest: observation ends at %d us, before its start at %d us", m.TEndUs, m.TStartUs)
	}
	if m.TStartUs < minInstant || m.TEndUs > maxInstant || m.SamplingUs < 0 || m.SamplingUs > maxInstant {
		return fmt.Errorf("manifest: observation from %d us to %d us every %d us, expected %d to %d", m.TStartUs, m.TEndUs, m.SamplingUs, minInstant, maxInstant)
	}
	if _, last, any := s.rowSpan(); any && last > m.TEndUs {
		return fmt.Errorf("manifest: observation ends at %d us, before the last row at %d us", m.TEndUs, last)
	}
	return nil
}

func (s *Set) checkPools() error {
	names := make(map[string]bool, len(s.Pools))
	for i, p := range s.Pools {
		if int(p.PoolID) != i {
			return fmt.Errorf("pools row %d: pool_id %d, expected %d", i, p.PoolID, i)
		}
		if p.Name == "" || names[p.Name] {
			return fmt.Errorf("pools row %d: name %q is empty or used twice", i, p.Name)
		}
		if p.GPUCount < 0 || p.OnDemandNano != nil && (*p.OnDemandNano < 0 || *p.OnDemandNano > maxPriceNano) {
			return fmt.Errorf("pools row %d (%s): GPU count or on-demand price out of range", i, p.Name)
		}
		names[p.Name] = true
	}
	return nil
}

func checkPrices(rows []PriceRow) error {
	for i, r := range rows {
		if r.PriceNanoUSD < 0 || r.PriceNanoUSD > maxPriceNano {
			return fmt.Errorf("prices row %d: %d nano-USD/h, expected 0 to %d", i, r.PriceNanoUSD, int64(maxPriceNano))
		}
	}
	return nil
}

func (s *Set) checkValues() error {
	for i, r := range s.Capacity {
		if r.Available < 0 || r.Available > r.Cap {
			return fmt.Errorf("capacity row %d: %d available of cap %d, expected 0 to cap", i, r.Available, r.Cap)
		}
	}
	for i, r := range s.Probes {
		if r.Fulfilled < 0 || r.Fulfilled > r.Requested || r.TEnd != nil && (*r.TEnd < r.T || *r.TEnd > maxInstant) {
			return fmt.Errorf("probes row %d: %d of %d machines, expected 0 to those requested, and an end after the start", i, r.Fulfilled, r.Requested)
		}
	}
	for i, r := range s.Jobs {
		if r.GPUs < 0 || r.DurationUs != nil && *r.DurationUs < 0 {
			return fmt.Errorf("jobs row %d: %d GPUs or a negative duration", i, r.GPUs)
		}
	}
	return s.checkSignals()
}

func (s *Set) checkSignals() error {
	for i, r := range s.Signals {
		for _, x := range []*float64{r.Value, r.Lo, r.Hi} {
			if x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)) {
				return fmt.Errorf("signals row %d (%s): %v, expected a finite number", i, r.Name, *x)
			}
		}
		if r.Lo != nil && r.Hi != nil && *r.Lo > *r.Hi {
			return fmt.Errorf("signals row %d (%s): band from %v to %v", i, r.Name, *r.Lo, *r.Hi)
		}
	}
	return nil
}

func (s *Set) checkGaps() error {
	for i, g := range s.Gaps {
		if g.PoolID < 0 || int(g.PoolID) >= len(s.Pools) {
			return fmt.Errorf("gaps row %d: pool_id %d, expected 0 to %d", i, g.PoolID, len(s.Pools)-1)
		}
		if g.TEnd <= g.TStart || g.TStart < minInstant || g.TEnd > maxInstant {
			return fmt.Errorf("gaps row %d: from %d us to %d us, expected to end after it starts", i, g.TStart, g.TEnd)
		}
	}
	return nil
}

func (s *Set) counts() RowCounts {
	return RowCounts{
		Pools: len(s.Pools), Prices: len(s.Prices), Capacity: len(s.Capacity),
		Probes: len(s.Probes), InstanceEvents: len(s.InstanceEvents), Signals: len(s.Signals), Jobs: len(s.Jobs), Gaps: len(s.Gaps),
	}
}

// rows returns the number of rows that say something of an instant.
func (s *Set) rows() int {
	return s.counts().events()
}

// PoolNamed returns the number of the pool with a name, -1 if there is none.
func (s *Set) PoolNamed(name string) int {
	return slices.IndexFunc(s.Pools, func(p Pool) bool { return p.Name == name })
}
