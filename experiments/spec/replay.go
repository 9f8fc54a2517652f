package spec

import (
	"cmp"
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

// ReplayOf returns how a pool's history is replayed: as the market's, but for the
// keys that the pool has. A pool with another adapter takes nothing that belongs to
// the market's.
func (s *Spec) ReplayOf(p *Pool) *Replay {
	out := s.Market.Replay
	own := p.Replay
	if own == nil {
		return &out
	}
	if own.Adapter != "" && own.adapter() != out.adapter() {
		out.Scale, out.Copies, out.BidUSDPerH, out.Lifetime = nil, nil, nil, nil
	}
	out.Adapter, out.Victim = cmp.Or(own.Adapter, out.Adapter), cmp.Or(own.Victim, out.Victim)
	out.NoticeS, out.NoticeMissing = cmp.Or(own.NoticeS, out.NoticeS), cmp.Or(own.NoticeMissing, out.NoticeMissing)
	out.Scale, out.Copies = cmp.Or(own.Scale, out.Scale), cmp.Or(own.Copies, out.Copies)
	out.BidUSDPerH, out.Lifetime = cmp.Or(own.BidUSDPerH, out.BidUSDPerH), cmp.Or(own.Lifetime, out.Lifetime)
	return &out
}

// Capacity returns where a pool's capacity comes from; nil: nowhere, it has no
// limit. Bids are for prices, so those of the pool decide where nothing else does.
func (s *Spec) Capacity(p *Pool) *Series {
	if p.Capacity == nil && s.ReplayOf(p).adapter() == replay.Bid {
		return p.Prices
	}
	return p.Capacity
}

// Replay returns the assumption under which a pool's history is replayed, without
// seed and distribution of lifetimes.
func (r *Replay) Replay(p *Pool) replay.Replay {
	out := replay.Replay{Adapter: r.adapter(), NoticeMissing: valueOr(r.NoticeMissing, 0), Scale: valueOr(r.Scale, 1),
		Copies: valueOr(r.Copies, 1), Bid: valueOr(r.BidUSDPerH, 0), N: *p.Quota, Notice: sim.DefaultNotice(p.Cloud)}
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
