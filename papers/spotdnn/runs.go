package spotdnn

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// headline runs spotDNN for each objective and reports how many are met, and
// by how many percent a plan is cheaper on the spot market than on demand. The
// network of that plan has no published coefficients: its saving depends on the
// prices only.
func headline(f *papers.Figure) error {
	var in struct {
		Market     marketInputs   `json:"market"`
		Objectives []objective    `json:"objectives"`
		Plan       map[string]int `json:"plan"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	p, err := in.Market.planner()
	if err != nil {
		return err
	}
	met := 0
	for _, o := range in.Objectives {
		seconds, err := p.run(&spotdnn.SpotDNN{Overhead: 30 * time.Second, Poll: 15 * time.Second}, o)
		if err != nil {
			return err
		}
		if seconds <= o.TimeS {
			met++
		}
	}
	f.Report("objectives-met", float64(met))
	counts := make([]int, len(p.profile))
	for i, name := range p.profile.Types() {
		counts[i] = in.Plan[name]
	}
	f.Report("inception-v3-saving", p.saving(counts))
	return nil
}

// saving returns by how many percent a plan is cheaper on the spot market.
func (p *planner) saving(counts []int) float64 {
	return 100 * (1 - p.usd("spotdnn", counts, 3600)/p.usd("on-demand", counts, 3600))
}

// planning reports how many times as fast spotDNN's search is on
// each market than the evaluation of every cluster, which the paper calls
// Srifty+, and the seconds that branch and bound takes to the same plan.
func planning(f *papers.Figure) error {
	var in struct {
		Markets   map[string]marketInputs `json:"markets"`
		Objective objective               `json:"objective"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for name, market := range in.Markets {
		p, err := market.planner()
		if err != nil {
			return err
		}
		task := p.task(in.Objective)
		_, window := planned(&spotdnn.Window{}, task, 100)
		every, slow := planned(&spotdnn.Exhaustive{Every: true}, task, 3)
		bounded, fast := planned(&spotdnn.Exhaustive{}, task, 10)
		if !every.Feasible || !slices.Equal(every.Counts, bounded.Counts) {
			return fmt.Errorf("%s: branch and bound takes %v, every cluster evaluated %v", name, bounded.Counts, every.Counts)
		}
		f.Report(name+"-ratio", slow/window)
		f.Report(name+"-branch-and-bound", fast)
	}
	return nil
}

// planned returns a choice and the seconds that it takes, the least of times.
func planned(s spotdnn.Strategy, task *spotdnn.Task, times int) (spotdnn.Choice, float64) {
	var c spotdnn.Choice
	smallest := time.Duration(1<<63 - 1)
	for range times {
		start := time.Now()
		c = s.Search(task)
		smallest = min(smallest, time.Since(start))
	}
	return c, max(smallest.Seconds(), 1e-9)
}

// episodeInputs are those of Fig. 9.
type episodeInputs struct {
	Market    marketInputs   `json:"market"`
	Objective objective      `json:"objective"`
	Cluster   map[string]int `json:"cluster"`    // at the start
	Revoked   string         `json:"revoked"`    // the type that is
	TakesOver string         `json:"takes_over"` // the type that replaces it
	Offered   map[string]int `json:"offered"`    // what is to be had from the notice on
	NoticeMin float64        `json:"notice_min"` // minutes after the submission
	GoneMin   float64        `json:"gone_min"`
	BootS     float64        `json:"boot_s"`
}

func minute(x float64) sim.Time { return sim.At(60 * x) }

// market offers what the cluster holds until some of it is revoked, and more
// from the notice on.
func (in *episodeInputs) market(p *planner, start []int) (*sim.Market, error) {
	var hs []sim.Trace
	for i, r := range p.profile {
		h := sim.Trace{
			Pool: sim.Pool{Name: r.InstanceType, InstanceType: r.InstanceType, Quota: r.Quota,
				Boot:   sim.Boot{Median: sim.At(in.BootS).Sub(0)},
				Notice: minute(in.GoneMin).Sub(minute(in.NoticeMin))},
			Prices:   []sim.Price{{USD: r.SpotUSDPerH}},
			Capacity: []sim.Capacity{{N: start[i]}},
		}
		if n, ok := in.Offered[r.InstanceType]; ok {
			h.Capacity = append(h.Capacity, sim.Capacity{At: minute(in.NoticeMin), N: start[i] + n})
		}
		if r.InstanceType == in.Revoked {
			h.Capacity = append(h.Capacity, sim.Capacity{At: minute(in.GoneMin), N: 0})
		}
		hs = append(hs, h)
	}
	return sim.NewMarket(minute(120), hs)
}

// runEpisode simulates the revocation of Fig. 9 and reports the take-over.
func runEpisode(f *papers.Figure) error {
	var in episodeInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	p, err := in.Market.planner()
	if err != nil {
		return err
	}
	start := make([]int, len(p.profile))
	for i, name := range p.profile.Types() {
		start[i] = in.Cluster[name]
	}
	m, err := in.market(p, start)
	if err != nil {
		return err
	}
	e := &episode{SpotDNN: spotdnn.SpotDNN{Overhead: 30 * time.Second, Poll: 15 * time.Second}, start: start}
	w, err := sim.New(sim.Config{Market: m, Policy: e, Jobs: []sim.Job{{Model: p.model,
		Objective: sim.Objective{Loss: in.Objective.Loss, Within: sim.At(in.Objective.TimeS).Sub(0)}, ParameterServers: 1}}})
	if err != nil {
		return err
	}
	r := w.Run()
	others := 0.0
	for i, row := range p.profile {
		granted := float64(r.Pools[i].Grants) - float64(start[i])
		if row.InstanceType == in.TakesOver {
			f.Report("take-over", granted)
		} else {
			others += granted
		}
	}
	f.Report("take-over-of-others", others)
	f.Report("join", e.joined.Sub(0).Minutes())
	f.Report("degradation", e.joined.Sub(e.gone).Seconds())
	f.Report("finish", r.Jobs[0].Elapsed.Minutes())
	return nil
}

// episode starts with a cluster and goes on as spotDNN; it notes when instances
// are gone and when the last ones joined.
type episode struct {
	spotdnn.SpotDNN
	start        []int
	gone, joined sim.Time
}

func (e *episode) Decide(v sim.View, plan *sim.Plan) {
	if v.Trigger()&sim.TriggerGone != 0 {
		e.gone = v.Now()
	}
	if v.Trigger()&sim.TriggerReady != 0 {
		e.joined = v.Now()
	}
	if v.Trigger()&sim.TriggerStart != 0 {
		copy(plan.Jobs[0].Hold, e.start)
		return
	}
	e.SpotDNN.Decide(v, plan)
}
