package pools

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/internal/series"
)

// probe is what one round of launches says of one zone.
type probe struct {
	zone    string
	gpuType string // empty: not stated
	gpus    int32  // of one machine; 0: not stated
	row     traces.ProbeRow
	gpu     *int64 // price of one GPU for an hour, nano-USD; nil: not stated
}

// probeKey is a zone's round. Sources write its start to the millisecond or
// finer, so that the millisecond tells whether two are one.
type probeKey struct {
	pool int32
	ms   int64
}

// rounds is what importers of launch probes have in common: the rounds that were read.
type rounds struct {
	*formats.Builder
	places map[probeKey]int // of their rows
}

func newRounds(b *formats.Builder) *rounds { return &rounds{b, map[probeKey]int{}} }

// check returns what cannot be, and else completes the row.
func (p *probe) check() error {
	r := &p.row
	switch {
	case r.Requested < 1:
		return fmt.Errorf("zone %s: %d machines asked for, expected at least 1", p.zone, r.Requested)
	case r.Fulfilled > r.Requested:
		return fmt.Errorf("zone %s: %d machines came of %d asked for, expected at most as many", p.zone, r.Fulfilled,
			r.Requested)
	case r.TEnd != nil && *r.TEnd < r.T:
		return fmt.Errorf("zone %s: the round ends at %s, before it starts at %s", p.zone, traces.Stamp(*r.TEnd),
			traces.Stamp(r.T))
	}
	r.Outcome = outcome(r)
	return nil
}

// outcome says ok, partial, capacity, or error where nothing came and nothing
// says that there was no capacity.
func outcome(r *traces.ProbeRow) string {
	switch {
	case r.Fulfilled == r.Requested:
		return "ok"
	case r.Fulfilled > 0:
		return "partial"
	case r.Exhausted != nil && *r.Exhausted > 0:
		return "capacity"
	}
	return "error"
}

// addProbe adds a probe that can be, unless it is there already; the same round
// with another outcome is refused.
func (b *rounds) addProbe(s *read.Source, p probe) error {
	if err := p.check(); err != nil {
		return err
	}
	r := p.row
	r.PoolID = b.ZonePool(traces.Pool{Zone: p.zone, GPUType: p.gpuType, GPUCount: p.gpus})
	r.SrcFile = s.Index
	r.Origin = traces.OriginProbe
	key := probeKey{r.PoolID, r.T / 1000}
	if i, there := b.places[key]; there {
		b.Report.Rows++
		if old := &b.Probes()[i]; !sameOutcome(old, &r) {
			return fmt.Errorf("zone %s: %d of %d machines at %s, and %d of %d at %s:%d, expected one outcome",
				p.zone, r.Fulfilled, r.Requested, traces.Stamp(r.T),
				old.Fulfilled, old.Requested, b.SourcePath(old.SrcFile), old.SrcRow)
		}
		b.Report.Duplicates++
		return nil
	}
	b.places[key] = b.AddProbe(r)
	b.Hold(1)
	return b.addGPUPrice(&r, p)
}

// sameOutcome reports whether two rows have one outcome.
func sameOutcome(r, x *traces.ProbeRow) bool {
	return r.Requested == x.Requested && r.Fulfilled == x.Fulfilled && (r.Exhausted == nil) == (x.Exhausted == nil) &&
		(r.Exhausted == nil || *r.Exhausted == *x.Exhausted)
}

// addGPUPrice keeps what a GPU costs. That is not what the machine costs, so
// that it gets a pool of its own.
func (b *rounds) addGPUPrice(r *traces.ProbeRow, p probe) error {
	if p.gpu == nil {
		return nil
	}
	b.Notef("prices are of one GPU for an hour, without the machine's cores and memory: "+
		"in pools of their own, product %q", formats.ProductGPU)
	return b.AddPrice(traces.PriceRow{
		T:            r.T,
		PoolID:       b.ZonePool(traces.Pool{Zone: p.zone, Product: formats.ProductGPU}),
		SrcFile:      r.SrcFile,
		SrcRow:       r.SrcRow,
		Origin:       traces.OriginProbe,
		PriceNanoUSD: *p.gpu,
		Currency:     "USD",
	})
}

// Settle completes the probes of all files: silences, the end of the observation, and
// what was asked for.
func (b *rounds) Settle() error {
	all := b.Probes()
	if len(all) == 0 {
		return nil
	}
	requested := all[0].Requested
	pools := 0
	for _, r := range all {
		pools = max(pools, int(r.PoolID)+1)
	}
	for pool, rows := range series.ByPool(all, pools) {
		slices.SortStableFunc(rows, func(x, y traces.ProbeRow) int { return cmp.Compare(x.T, y.T) })
		times := make([]int64, len(rows))
		for i, r := range rows {
			times[i] = r.T
			if r.Requested != requested {
				requested = 0
			}
			if i == 0 || r.Fulfilled != rows[i-1].Fulfilled {
				b.Report.Changes++
			} else {
				b.Report.Heartbeats++
			}
		}
		if b.Manifest.Semantics != traces.SemanticsLaunches { // there, a silence is a failure or no attempt
			b.Observed(int32(pool), times)
		}
	}
	b.Manifest.Cap = int(requested)
	return nil
}
