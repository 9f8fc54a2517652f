package experiments

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// checkReplay refuses settings out of range, and those that would not count.
func (s *Spec) checkReplay(at string, r *ReplaySpec) error {
	if _, err := victim(r.Victim); err != nil {
		return s.at(at+".victim", "%v", err)
	}
	if a, err := traces.AdapterNamed(r.Adapter); r.Adapter != "" && (err != nil || a == traces.Unlimited) {
		return s.at(at+".adapter", "%q, expected count_cap, binary_all, per_event, launch_only, lifetime_resample or bid", r.Adapter)
	}
	switch {
	case r.NoticeS != nil && (*r.NoticeS < 0 || *r.NoticeS > 86400):
		return s.at(at+".notice_s", "%v, expected 0 to 86400", *r.NoticeS)
	case r.NoticeMissing < 0 || r.NoticeMissing > 1:
		return s.at(at+".notice_missing", "%v, expected a probability, 0 to 1", r.NoticeMissing)
	case r.Scale < 0 || r.Scale > 1000:
		return s.at(at+".scale", "%v, expected more than 0 and at most 1000", r.Scale)
	case r.Scale != 0 && r.adapter() != traces.CountCap && r.adapter() != traces.LaunchOnly:
		return s.at(at+".scale", "%v, expected none with the adapter %s", r.Scale, r.Adapter)
	case r.Copies < 0 || r.Copies > 1000 || r.Copies > 1 && r.Scale != 0 && r.Scale != 1:
		return s.at(at+".copies", "%d, expected 1 to 1000, and no scale beside it", r.Copies)
	case r.BidUSDPerH < 0 || r.BidUSDPerH > 1e4 || (r.Adapter == traces.Bid.String()) != (r.BidUSDPerH > 0):
		return s.at(at, "bid_usd_per_h is %v, expected a price above 0 with the adapter bid, and none with another", r.BidUSDPerH)
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

// replay returns what a spec says of how a pool's history is replayed.
func (s *Spec) replay(p *PoolSpec) *ReplaySpec {
	if p.Replay != nil {
		return p.Replay
	}
	return &s.Market.Replay
}

func (r *ReplaySpec) adapter() traces.Adapter {
	if r.Adapter == "" {
		return traces.CountCap
	}
	a, _ := traces.AdapterNamed(r.Adapter) // checkReplay has looked
	return a
}

// readReplays takes the assumption under which each pool's history is replayed.
func (m *Markets) readReplays(sources map[string]source) error {
	for i := range m.spec.Market.Pools {
		p := &m.spec.Market.Pools[i]
		x := m.spec.replay(p)
		r := traces.Replay{Adapter: x.adapter(), NoticeMissing: x.NoticeMissing, Scale: x.Scale, Copies: x.Copies, Bid: x.BidUSDPerH, N: *p.Quota, Notice: sim.DefaultNotice(p.Cloud)}
		r.Victim, _ = victim(x.Victim)
		if x.NoticeS != nil {
			r.Notice = seconds(*x.NoticeS)
		}
		var err error
		if r.Life, err = x.Lifetime.distribution(sources); err != nil {
			return m.spec.at(fmt.Sprintf("$.market.pools[%d]", i), "lifetime: %v", err)
		}
		m.replays = append(m.replays, r)
	}
	return nil
}

// assumptions names those of all pools, once where they are the same.
func (m *Markets) assumptions() string {
	var each []string
	first, same := m.replays[0].String(), true
	for i, r := range m.replays {
		same = same && r.String() == first
		each = append(each, m.spec.Market.Pools[i].Type+" "+r.String())
	}
	if same {
		return first
	}
	return strings.Join(each, "; ")
}
