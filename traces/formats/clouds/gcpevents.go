package clouds

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

// add adds the event that an operation is. A record that was taken before the
// operation was done is set aside: of what was begun, it is not known yet
// whether it came to be.
func (r *reader) add(op *operation, m *machineData) error {
	is, known := kinds[op.what]
	switch {
	case op.resource != "instances" || !known:
		r.rest.Add(strings.TrimSpace(op.what + " of " + op.resource))
		return nil
	case op.failure != "" && is.kind != traces.KindLaunch:
		r.rest.Add(op.what + " that failed")
		return nil
	}
	pool := traces.Pool{Zone: op.zone, Cloud: "gcp"}
	if m != nil {
		if m.zone != "" && m.zone != op.zone {
			return r.c.Errorf("machine is in zone %s, its operation in %s; expected one zone", m.zone, op.zone)
		}
		pool.InstanceType = m.machineType
		pool.Market = r.market(m.preemptible)
	}
	e := traces.InstanceEventRow{
		T: op.at, SrcFile: r.s.Index, SrcRow: int64(op.line), Origin: traces.OriginAPI,
		InstanceID: op.target, Kind: is.kind, Reason: is.reason,
	}
	if op.failure != "" {
		e.Kind = traces.KindLaunchFail
		e.Reason = failureReason(op.failure)
	}
	if is.kind == traces.KindLaunch && op.status != "" && op.status != "DONE" {
		r.pending = append(r.pending, pendingEvent{e, pool, op.what})
		return nil
	}
	r.keep(e, pool, op.what)
	return nil
}

// keep adds an event, once.
func (r *reader) keep(e traces.InstanceEventRow, pool traces.Pool, what string) {
	if r.b.Again(fmt.Sprintf("%s %s %d", e.InstanceID, what, e.T)) {
		return
	}
	if e.Goes() {
		r.b.ends[e.InstanceID] = max(r.b.ends[e.InstanceID], e.T)
	}
	e.PoolID = r.b.ZonePool(pool)
	r.b.AddEvents(e)
}

// settle keeps the launches set aside of which the machine ended later: it must
// have come to be.
func (r *reader) settle() {
	for _, p := range r.pending {
		if r.b.ends[p.e.InstanceID] < p.e.T || p.e.Kind != traces.KindLaunch {
			r.rest.Add(p.what + " not done yet")
			continue
		}
		r.b.Notef("launches not done when they were listed are kept where the machine ended later")
		r.keep(p.e, p.pool, p.what)
	}
}

// market reads the cell PREEMPTIBLE, into which another may have slid.
func (r *reader) market(cell string) string {
	switch strings.ToLower(cell) {
	case "true":
		return "preemptible"
	case "false":
		return "on_demand"
	}
	r.b.Notef("machines whose PREEMPTIBLE is neither true nor false (an address, for instance) are in pools of "+
		"their own, market %s", formats.MarketUnknown)
	return formats.MarketUnknown
}

// failureReason is capacity where the zone had none, else not known.
func failureReason(code string) string {
	if strings.Contains(code, "RESOURCE_POOL_EXHAUSTED") || strings.Contains(code, "STOCKOUT") {
		return traces.ReasonCapacity
	}
	return traces.ReasonUnknown
}
