package pools

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// dimeReplay turns the lines of one log into events and counts.
type dimeReplay struct {
	b      *dimeReader
	s      *read.Source
	turns  turns
	pools  map[site]int32
	order  []int32
	counts map[int32][]traces.CapacityRow
	seen   map[string]int64 // machine that is there: when it was last seen
}

// replay goes through a log. Every line that tells whether a place has its
// machine is an observation of it; the machines themselves come with created
// and go with the first line that does not find them running.
func (b *dimeReader) replay(s *read.Source, says []dimeSays, p sites) error {
	r := dimeReplay{b: b, s: s, pools: map[site]int32{}, counts: map[int32][]traces.CapacityRow{},
		seen:  map[string]int64{},
		turns: turns{sites: p, last: map[site]int{}, up: map[site]bool{}}}
	for i := range says {
		if err := r.line(&says[i]); err != nil {
			return err
		}
	}
	for _, pool := range r.order {
		if rows := r.counts[pool]; len(rows) > 0 {
			b.Polled(rows)
			b.AddCounts(s, rows)
		}
	}
	return nil
}

// line takes one line.
func (r *dimeReplay) line(d *dimeSays) error {
	at, known := r.turns.of[d.id]
	if d.id == "" {
		if at, known = r.turns.next(site{gpu: d.gpu, gpus: d.gpus}); known {
			r.b.Notef("creations that failed without a zone belong to the zone whose turn it was: the script goes " +
				"through the zones in one order")
		}
	}
	if !known && d.id != "" {
		return d.ErrorAt(d.idColumn, "instance %s is in no zone by any line, expected one that was created or seen",
			read.Quote(d.id))
	}
	pool, err := r.pool(at)
	if err != nil {
		return err
	}
	since, up := r.seen[d.id]
	switch d.what {
	case "created":
		if up {
			return d.ErrorAt(d.idColumn, "instance %s is created, but is there, last seen at %s", read.Quote(d.id),
				traces.Stamp(since))
		}
		r.event(d, pool, traces.KindLaunch, 0)
	case "running":
		if !up {
			return d.ErrorAt(d.idColumn, "instance %s is running, but was not created or is gone", read.Quote(d.id))
		}
		r.event(d, pool, traces.KindRunning, 0)
	case "gone":
		if up {
			r.event(d, pool, traces.KindPreempt, d.t-since)
		}
	case "failed":
		if up {
			return d.ErrorAt(d.idColumn, "creation of %s failed, but it is there, last seen at %s", read.Quote(d.id),
				traces.Stamp(since))
		}
		r.event(d, pool, traces.KindLaunchFail, 0)
	case "deleted":
		r.event(d, pool, traces.KindTerminate, 0)
	}
	if known {
		r.observe(d, at, pool)
	}
	return nil
}

// observe notes whether the place has its machine.
func (r *dimeReplay) observe(d *dimeSays, at site, pool int32) {
	here := d.what == "created" || d.what == "running"
	if delete(r.seen, d.id); here {
		r.seen[d.id] = d.t
	}
	r.turns.up[at] = here
	r.turns.heard(at, d.what != "gone" && d.what != "deleted")
	if d.what == "deleted" {
		return // says nothing that not running did not
	}
	row := traces.CapacityRow{T: d.t, PoolID: pool, SrcRow: int64(d.Number), Origin: traces.OriginPoll}
	if here {
		row.Available = 1
	}
	r.counts[pool] = append(r.counts[pool], row)
}

func (r *dimeReplay) event(d *dimeSays, pool int32, kind string, uncertain int64) {
	reason := traces.ReasonUnknown
	if kind == traces.KindTerminate {
		reason = traces.ReasonUser
	}
	r.b.AddEvents(traces.InstanceEventRow{
		T: d.t, UncertainUs: uncertain, PoolID: pool, SrcFile: r.s.Index, SrcRow: int64(d.Number), Origin: traces.OriginPoll,
		InstanceID: d.id, Kind: kind, Reason: reason,
	})
}

// pool returns the pool of a place, which no other file has.
func (r *dimeReplay) pool(at site) (int32, error) {
	if id, ok := r.pools[at]; ok {
		return id, nil
	}
	p := traces.Pool{Zone: at.zone, GPUType: at.gpu, GPUCount: int32(at.gpus), Name: at.slot}
	if _, cloud := read.RegionOf(at.zone); cloud == "aws" {
		p.InstanceType = read.AWSType(at.gpu, at.gpus)
	}
	id := r.b.ZonePool(p)
	if r.b.taken[id] {
		return 0, r.s.Errorf(0, 0, "is a second file of pool %s; import them one by one", r.b.PoolAt(id).Name)
	}
	r.b.taken[id] = true
	r.pools[at] = id
	r.order = append(r.order, id)
	return id, nil
}

// dimeReader reads logs.
type dimeReader struct {
	*formats.Builder
	taken map[int32]bool // pools of the files before
}
