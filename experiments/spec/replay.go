package spec

import (
	"fmt"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/replay"
)

func (r *Replay) adapter() replay.Adapter {
	if r.Adapter == "" {
		return replay.CountCap
	}
	a, _ := replay.AdapterNamed(r.Adapter) // checkReplay has looked
	return a
}

// Replay returns the assumption under which a pool's history is replayed, without
// seed and distribution of lifetimes.
func (r *Replay) Replay(p *Pool) replay.Replay {
	out := replay.Replay{Adapter: r.adapter(), NoticeMissing: r.NoticeMissing, Scale: r.Scale, Copies: r.Copies,
		Bid: r.BidUSDPerH,
		N:   *p.Quota, Notice: sim.DefaultNotice(p.Cloud)}
	out.Victim, _ = victim(r.Victim) // checkReplay has looked
	if r.NoticeS != nil {
		out.Notice = seconds(*r.NoticeS)
	}
	return out
}

func victim(name string) (sim.Victim, error) {
	for v := sim.VictimRandom; v <= sim.VictimOldest; v++ {
		if name == v.String() || name == "" {
			return v, nil
		}
	}
	return 0, fmt.Errorf("%q, expected random, newest or oldest", name)
}

// Bathtub returns the parameters of the distribution bathtub.
func (l *Lifetime) Bathtub() describe.Bathtub {
	return describe.Bathtub{A: l.A, Tau1: l.Tau1H, Tau2: l.Tau2H, B: l.BH}
}
