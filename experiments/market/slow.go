package market

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/formats/read"
)

// What a detector of slow workers does where a spec says nothing: NVRx (d8686d9) reports every 300 s in Megatron-Bridge
// whose score is below 0.7, a factor of 1/0.7.
const (
	seenAfter = 300
	seenFrom  = 1.43
)

// reactions are what is done about slow machines, by their names in specs; keep and none are SlowKeep.
var reactions = map[string]sim.SlowDo{
	"replace":    sim.SlowReplace,
	"ski-rental": sim.SlowSkiRental,
	"rebalance":  sim.SlowRebalance,
	"move":       sim.SlowMove,
	"escalate":   sim.SlowEscalate,
}

// slows are how machines become slow, as a spec describes it, by its places there.
type slows map[*cluster.Slow]*sim.Slow

// readSlow reads how machines of a spec become slow, with recorded episodes.
func (m *Markets) readSlow() error {
	m.slows = slows{}
	for _, one := range m.spec.Slow() {
		of := slowOf(one.Slow)
		of.Whole = one.Server
		if one.Trace != "" {
			var err error
			if of.Episodes, err = m.episodes(&one); err != nil {
				return err
			}
		}
		m.slows[one.Slow] = of
	}
	return nil
}

// slowOf makes the laws of a place of the spec.
func slowOf(x *cluster.Slow) *sim.Slow {
	of := &sim.Slow{
		Network:      x.Exposed,
		Rest:         x.Rest,
		MicroBatches: x.MicroBatches,
		SeenAfter:    units.Seconds(seenAfter),
		SeenFrom:     seenFrom,
		Cost:         units.Seconds(x.CostS),
		Repair:       units.Seconds(x.RepairH * 3600),
		Move:         units.Seconds(x.MoveS),
		Do:           reactions[x.Do],
	}
	if x.Seen != nil {
		of.SeenAfter = units.Seconds(x.Seen.AfterS)
		of.SeenFrom = x.Seen.From
		of.FalsePerDay = x.Seen.FalsePerDay
	}
	if x.Bad != nil {
		law := lawOf(x.Bad.Times, x.Bad.Over1, x.Bad.Mix)
		law.BadShare = x.Bad.Share
		of.Laws = append(of.Laws, law)
	}
	for _, episodes := range []*cluster.SlowEpisodes{x.Comes, x.Network} {
		if episodes == nil {
			continue
		}
		law := lawOf(episodes.Times, episodes.Over1, episodes.Mix)
		law.PerHour = episodes.Per1000NodeDays / 1000 / 24
		law.Mean = units.Seconds(episodes.Lasts.MeanH * 3600)
		law.Lasts = sim.Boot{Median: units.Seconds(episodes.Lasts.MedianH * 3600), Sigma: episodes.Lasts.Sigma}
		law.OnNetwork = episodes == x.Network
		of.Laws = append(of.Laws, law)
	}
	return of
}

// lawOf makes a law of factors: one, a lognormal number above 1, or one of several.
func lawOf(times float64, over *cluster.OverOne, mix []cluster.SlowShare) (law sim.SlowLaw) {
	if over != nil {
		law.Median = over.Median
		law.Sigma = over.Sigma
		return law
	}
	for _, one := range mix {
		law.Times = append(law.Times, sim.SlowTimes{Times: one.Times, Share: one.Share})
	}
	if len(mix) == 0 {
		law.Times = []sim.SlowTimes{{Times: times, Share: 1}}
	}
	return law
}

// maxEpisodes bounds a file of them.
const maxEpisodes = 1 << 20

// episodes reads recorded episodes.
func (m *Markets) episodes(x *spec.PlacedSlow) ([]sim.Episode, error) {
	source, err := read.Open(context.Background(), m.spec.Path(x.Trace), 1<<16)
	if err != nil {
		return nil, m.spec.ErrorAt(x.Place+".trace", "%s: %v", x.Trace, err)
	}
	defer source.Close()
	const longest = 1e10
	var all []sim.Episode
	for row := range source.Table("instance", "from_s", "to_s", "compute", "network") {
		one := sim.Episode{
			Machine: int(read.Field(row, "instance", read.WholeNumber)),
			From:    sim.At(read.Field(row, "from_s", read.Number(0, longest))),
			Until:   sim.Never,
			Compute: read.Field(row, "compute", read.Number(1, 1e6)),
			Network: read.Field(row, "network", read.Number(1, 1e6)),
		}
		if end := read.Maybe(row, "to_s", read.Number(0, longest)); end != nil {
			one.Until = sim.At(*end)
		}
		err := row.Err
		switch {
		case err != nil:
		case one.Until <= one.From:
			err = row.Errorf("to_s", "to_s is not after from_s, expected a later instant, or nothing for good")
		case one.Machine >= x.Machines:
			err = row.Errorf("instance", "instance %d, expected one of the %d of %s: 0 to %d", one.Machine, x.Machines,
				strings.TrimPrefix(x.Place, "$."), x.Machines-1)
		case one.Network > 1 && x.Exposed == 0:
			err = row.Errorf("network", "network %v without effect, expected 1, or %s.exposed", one.Network,
				strings.TrimPrefix(x.Place, "$."))
		case len(all) == maxEpisodes:
			err = row.Errorf("", "more than %d episodes, expected fewer", maxEpisodes)
		}
		if err != nil {
			return nil, m.spec.ErrorAt(x.Place+".trace", "%v", err)
		}
		all = append(all, one)
	}
	file, err := source.Finish()
	if err != nil {
		return nil, m.spec.ErrorAt(x.Place+".trace", "%s: %v", x.Trace, err)
	}
	m.Inputs = append(m.Inputs, file)
	slices.SortStableFunc(all, func(a, b sim.Episode) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.From, b.From))
	})
	return all, nil
}

// slowDown gives the pools of a market, servers first, what the spec says of slow machines.
func (m *Markets) slowDown(all []sim.Trace) {
	if len(m.slows) == 0 {
		return
	}
	p := 0
	for i := range m.spec.Market.Servers {
		servers := &m.spec.Market.Servers[i]
		if servers.OnDemand {
			continue
		}
		for k := range servers.Number() {
			if of := m.slows[servers.Slow]; of != nil {
				all[p].Slow = ofServer(of, k)
				all[p].Reserved = all[p].Reserved && of.Repair == 0
			}
			p++
		}
	}
	for ; p < len(all); p++ {
		for i := range m.spec.Market.Pools {
			sold := &m.spec.Market.Pools[i]
			if sold.Slow != nil && sold.Type == all[p].InstanceType && matches(sold.Zone, all[p].Zone) &&
				matches(sold.Region, all[p].Region) {
				all[p].Slow = m.slows[sold.Slow]
			}
		}
	}
}

// ofServer is what happens to the k-th server of an entry: the recorded episodes are its own.
func ofServer(of *sim.Slow, k int) *sim.Slow {
	if len(of.Episodes) == 0 {
		return of
	}
	own := *of
	own.Episodes = nil
	for _, one := range of.Episodes {
		if one.Machine == k {
			one.Machine = 0
			own.Episodes = append(own.Episodes, one)
		}
	}
	return &own
}
