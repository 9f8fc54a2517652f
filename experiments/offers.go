package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// Offer is one way to get instances for a job at the start of a run, and what becomes of the job on them alone: on
// demand or spot now, a capacity block that is bought, or a queue that is waited for.
type Offer struct {
	Pool      string `json:"pool" head:"pool"`
	Kind      string `json:"kind" head:"kind"` // on demand, spot, capacity block or queue
	Instances int    `json:"instances" head:"instances"`
	// StartH is from the start of the run until instances are granted: of a queue the median.
	StartH float64 `json:"start_h" head:"starts h" format:"%.2f"`
	// FinishH is nil where the job is not done by the end of the offer or of the market.
	FinishH *float64 `json:"finish_h" head:"finishes h" format:"%.2f"`
	// USD is at the prices of the start; of a block its whole price.
	USD    float64 `json:"usd" head:"cost USD" format:"usd"`
	InTime bool    `json:"in_time" head:"in time"`
	Chosen bool    `json:"chosen" head:"" format:"chosen/"` // the cheapest that is in time
	Note   string  `json:"note,omitempty" head:"note"`
}

// Offers weighs for an objective, from the first start and under the first seed, each pool with the number of its
// instances that is cheapest in time, or else the soonest: what to buy, or to wait for. Nothing is simulated: nothing
// is lost, boots take their means, and prices stay.
func (s *Study) Offers(objective int) ([]Offer, error) {
	w := s.Worker()
	defer w.Close()
	c := s.At(0)
	c.Objective = objective
	config, err := w.Config(c, nil)
	if err != nil {
		return nil, err
	}
	job, m := &config.Jobs[0], config.Market
	var out []Offer
	for p := range m.Pools() {
		best := Offer{USD: math.Inf(1)}
		for n := 1; n <= m.Pool(p).Quota; n++ {
			o, can := offer(&config, job, p, n)
			if can && better(&o, &best) {
				best = o
			}
		}
		if best.Instances > 0 {
			out = append(out, best)
		}
	}
	if out == nil {
		return nil, fmt.Errorf("no pool alone trains the job of %s", s.Spec.Objectives[objective].Name)
	}
	late := func(o *Offer) int {
		if o.InTime {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b Offer) int { return cmp.Or(late(&a)-late(&b), cmp.Compare(a.USD, b.USD)) })
	out[0].Chosen = out[0].InTime
	return out, nil
}

// better reports whether an offer comes before another of its pool: in time, then cheaper; if neither is in time, done
// at all, then sooner.
func better(a, b *Offer) bool {
	switch {
	case b.Instances == 0:
		return true
	case a.InTime || b.InTime:
		return a.InTime && (!b.InTime || a.USD < b.USD || a.USD == b.USD && *a.FinishH < *b.FinishH)
	case a.FinishH == nil || b.FinishH == nil:
		return a.FinishH != nil && b.FinishH == nil
	}
	return *a.FinishH < *b.FinishH
}

// offer is what n instances of a pool come to; false where they cannot train the job.
func offer(c *sim.Config, job *sim.Job, p, n int) (o Offer, can bool) {
	pool := c.Market.Pool(p)
	layout := sim.Layout{Workers: make([]int32, c.Market.Pools()), Servers: int32(job.ParameterServers)}
	layout.Workers[p] = int32(n)
	layPipelines(&layout, job.Model, n)
	rate := job.Model.Rate(&layout).Progress
	if rate == 0 {
		return o, false
	}
	hours := (job.Model.Goal(job.Objective.Loss)-job.Model.Begin(&layout))/rate/3600 + pool.Boot.Mean().Hours()
	o, length := offered(c, p, n)
	if o.Kind != capacityBlock {
		o.USD = float64(n) * c.Market.Price(p, c.Start) * min(hours, length)
	}
	if hours > length {
		o.Note = fmt.Sprintf("%.0f %% of the job is done when it ends", 100*length/hours)
		return o, true
	}
	finish := o.StartH + hours
	o.USD += float64(job.ParameterServers) * job.ParameterServerPrice * finish
	o.FinishH = &finish
	o.InTime = finish <= job.Objective.Within.Hours()
	return o, true
}

// capacityBlock is a kind of offers: it is paid whether it is used or not.
const capacityBlock = "capacity block"

// offered says what n instances of a pool are, and for how many hours they can be held; the price of a block is known.
func offered(c *sim.Config, p, n int) (o Offer, length float64) {
	pool := c.Market.Pool(p)
	o = Offer{Pool: pool.Name, Kind: "spot", Instances: n, Note: "if nothing is lost"}
	length = math.Inf(1)
	blocks := c.Market.Commitments(p)
	switch {
	case pool.Until > 0 && len(blocks) == 1:
		b := &blocks[0]
		o.Kind = capacityBlock
		o.StartH = max(b.From.Sub(c.Start).Hours(), 0)
		length = b.Until.Sub(c.Start).Hours() - o.StartH
		o.Note = fmt.Sprintf("%d instances for %.4g h, used or not", b.Instances, length)
		o.USD = float64(b.Instances) * b.USDPerHour * length
	case pool.Wait > 0:
		o.Kind = "queue"
		o.Note = "the median wait"
		o.StartH = pool.Wait.Hours()
		if pool.Length > 0 {
			length = pool.Length.Hours()
		}
	case pool.OnDemand:
		o.Kind = "on demand"
		o.Note = ""
	}
	return o, length
}
