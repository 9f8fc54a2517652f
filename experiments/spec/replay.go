package spec

import (
	"fmt"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/replay"
)

// checkReplay refuses settings out of range, and those that would not count.
func (s *Spec) checkReplay(at string, r *Replay) error {
	if _, err := victim(r.Victim); err != nil {
		return s.ErrorAt(at+".victim", "%v", err)
	}
	if a, err := replay.AdapterNamed(r.Adapter); r.Adapter != "" && (err != nil || a == replay.Unlimited) {
		return s.ErrorAt(at+".adapter", "%q, expected count_cap, binary_all, per_event, launch_only, lifetime_resample or bid", r.Adapter)
	}
	switch {
	case r.NoticeS != nil && (*r.NoticeS < 0 || *r.NoticeS > 86400):
		return s.ErrorAt(at+".notice_s", "%v, expected 0 to 86400", *r.NoticeS)
	case r.NoticeMissing < 0 || r.NoticeMissing > 1:
		return s.ErrorAt(at+".notice_missing", "%v, expected a probability, 0 to 1", r.NoticeMissing)
	case r.Scale < 0 || r.Scale > 1000:
		return s.ErrorAt(at+".scale", "%v, expected more than 0 and at most 1000", r.Scale)
	case r.Scale != 0 && r.adapter() != replay.CountCap && r.adapter() != replay.LaunchOnly:
		return s.ErrorAt(at+".scale", "%v, expected none with the adapter %s", r.Scale, r.Adapter)
	case r.Copies < 0 || r.Copies > 1000 || r.Copies > 1 && r.Scale != 0 && r.Scale != 1:
		return s.ErrorAt(at+".copies", "%d, expected 1 to 1000 and no scale", r.Copies)
	case r.BidUSDPerH < 0 || r.BidUSDPerH > 1e4 || (r.Adapter == replay.Bid.String()) != (r.BidUSDPerH > 0):
		return s.ErrorAt(at, "bid_usd_per_h is %v, expected a price above 0 with the adapter bid, and none with another", r.BidUSDPerH)
	}
	return s.checkLifetime(at, r)
}

func victim(name string) (sim.Victim, error) {
	for v := sim.VictimRandom; v <= sim.VictimOldest; v++ {
		if name == v.String() || name == "" {
			return v, nil
		}
	}
	return 0, fmt.Errorf("%q, expected random, newest or oldest", name)
}

// ReplayOf returns how a pool's history is replayed.
func (s *Spec) ReplayOf(p *Pool) *Replay {
	if p.Replay != nil {
		return p.Replay
	}
	return &s.Market.Replay
}

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
	out := replay.Replay{Adapter: r.adapter(), NoticeMissing: r.NoticeMissing, Scale: r.Scale, Copies: r.Copies, Bid: r.BidUSDPerH,
		N: *p.Quota, Notice: sim.DefaultNotice(p.Cloud)}
	out.Victim, _ = victim(r.Victim) // checkReplay has looked
	if r.NoticeS != nil {
		out.Notice = seconds(*r.NoticeS)
	}
	return out
}
