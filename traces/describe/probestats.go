package describe

import (
	"github.com/marigram/marigram/traces"
)

func (p *ProbeStatistics) see(r *traces.ProbeRow) {
	if p.Outcomes == nil {
		p.Outcomes = map[string]int{}
	}
	p.Probes++
	p.Requested += int64(r.Requested)
	p.Fulfilled += int64(r.Fulfilled)
	if r.Exhausted != nil {
		p.Exhausted += int64(*r.Exhausted)
	}
	p.Outcomes[r.Outcome]++
}

// probeStatistics describes rows, nil if there are none.
func probeStatistics(rows []traces.ProbeRow, semantics string) *ProbeStatistics {
	if len(rows) == 0 {
		return nil
	}
	p := &ProbeStatistics{}
	anyCame := 0
	allCame := 0
	for i := range rows {
		p.see(&rows[i])
		if rows[i].Fulfilled > 0 {
			anyCame++
		}
		if rows[i].Fulfilled == rows[i].Requested {
			allCame++
		}
	}
	if semantics != traces.SemanticsLaunches {
		n := float64(len(rows))
		p.Success = ratio(float64(p.Fulfilled), float64(p.Requested))
		p.AnyShare = ratio(float64(anyCame), n)
		p.AllShare = ratio(float64(allCame), n)
	}
	return p
}

// launchable is the capacity that probes saw: it holds until the next probe,
// which is an assumption. Where only successes are recorded there is none to
// see.
func launchable(rows []traces.ProbeRow, semantics string) []traces.CapacityRow {
	if semantics == traces.SemanticsLaunches {
		return nil
	}
	out := make([]traces.CapacityRow, len(rows))
	for i, r := range rows {
		out[i] = traces.CapacityRow{T: r.T, Seq: r.Seq, PoolID: r.PoolID, Available: r.Fulfilled, Cap: r.Requested,
			Censored: r.Fulfilled == r.Requested}
	}
	return out
}
