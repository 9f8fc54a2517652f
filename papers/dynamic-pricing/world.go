package dynamicpricing

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/dynamic-pricing/reference"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// conditions are what the paper assumed away.
type conditions struct {
	BootS     float64 `json:"boot_s"`
	GB        float64 `json:"gb"`        // that a move carries
	Tariff    string  `json:"tariff"`    // of transfers
	RestartS  float64 `json:"restart_s"` // after a loss
	SaveS     float64 `json:"save_s"`
	GapS      float64 `json:"gap_s"`      // after a preemption until there is capacity again
	PatienceS float64 `json:"patience_s"` // until a request is given up
}

// inTheWorld reports the gains of a figure (gainsOf).
func inTheWorld(f *papers.Figure) error {
	all, err := gainsOf(&f.Spec)
	for _, g := range all {
		f.Report(g.name+"-any", g.Any)
		f.Report(g.name+"-paying", g.Paying)
	}
	return err
}

// gain is how many times as expensive it is, for a job of one size, to stay in the pool that was
// best at first as to choose again every day.
type gain struct {
	Model    string
	V100Days float64 // the size: what one V100 does in n days
	Free     float64 // as the paper has it: moves and boots for nothing, no losses, the day's prices known ahead
	Any      float64 // in the world, going to any cheaper pool whatever the move costs
	Paying   float64 // in the world, going only where it pays

	name string // of the cell
}

// maxStarts bounds the starts, a day each: a third of the market's time is left after the last.
const maxStarts = 80

// gainsOf returns the gain of moving for each job of a figure of the procedure dynamic-pricing-world. In
// the world are the published prices, one GPU's share of each instance, prices until now,
// boots, moves at their price, and lives drawn from recorded ones; ratios of mean
// costs over starts. One who stays leaves too, where a lost instance is not replaced in time.
func gainsOf(s *papers.Spec) ([]gain, error) {
	var in struct {
		Jobs       pricedJobs `json:"jobs"`
		Starts     int        `json:"starts"`
		Conditions conditions `json:"conditions"`
	}
	if err := s.Inputs(&in); err != nil {
		return nil, err
	}
	if in.Starts < 1 || in.Starts > maxStarts {
		return nil, fmt.Errorf("%s: %d starts, expected 1 to %d", s.Name, in.Starts, maxStarts)
	}
	if err := in.Conditions.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	cells, err := in.Jobs.cells()
	if err != nil {
		return nil, err
	}
	records, err := priceRecords()
	if err != nil {
		return nil, err
	}
	var world sim.World
	var all []gain
	markets := map[string]*sim.Market{}
	for i := range cells {
		c := &cells[i]
		if markets[c.region] == nil {
			if markets[c.region], err = in.Conditions.market(records, c.region); err != nil {
				return nil, err
			}
		}
		g := gain{Model: c.model, V100Days: c.job.V100Days, name: c.name()}
		if g.Free, err = c.gain(); err != nil {
			return nil, err
		}
		job := &gpuJob{speeds: c.job.Speeds, conditions: &in.Conditions, market: markets[c.region]}
		job.work = 86400 * c.job.V100Days * c.job.Speeds["v100"]
		if err := g.inWorld(job, &world, in.Starts); err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// inWorld fills in the gains in the world.
func (g *gain) inWorld(job *gpuJob, world *sim.World, starts int) error {
	usd := [3]float64{}
	for start := range starts {
		for k, policy := range []policies.DynamicPricing{{}, {Every: 24 * time.Hour}, {Every: 24 * time.Hour, CountMoves: true}} {
			policy.Instances, policy.Patience = 1, seconds(job.conditions.PatienceS)
			cost, err := job.run(world, &policy, start)
			if err != nil {
				return err
			}
			usd[k] += cost
		}
	}
	g.Any, g.Paying = usd[0]/usd[1], usd[0]/usd[2]
	return nil
}

// check says which condition cannot be.
func (c *conditions) check() error {
	for _, x := range []float64{c.BootS, c.GB, c.RestartS, c.SaveS, c.PatienceS} {
		if !(x >= 0 && x <= 1e6) {
			return fmt.Errorf("conditions: %v, expected 0 to 1000000", x)
		}
	}
	if !(c.GapS > 0 && c.GapS <= 1e6) {
		return fmt.Errorf("conditions: gap_s %v, expected more than 0 and at most 1000000", c.GapS)
	}
	if _, known := charges.NamedTariff(c.Tariff); !known && c.GB > 0 {
		return fmt.Errorf("conditions: tariff %q, expected one of %s", c.Tariff, strings.Join(charges.TariffNames(), ", "))
	}
	return nil
}

// market makes pools of one GPU of each instance type: its share of the price.
func (c *conditions) market(all []priced, region string) (*sim.Market, error) {
	lifetimes, err := lifetimes()
	if err != nil {
		return nil, err
	}
	end := sim.Time(0).Add(120 * 24 * time.Hour)
	var list []sim.Trace
	for i := range all {
		p := &all[i]
		if p.Cloud == reference.AWS && p.region != region {
			continue
		}
		pool := sim.Pool{Name: fmt.Sprintf("%s/%s/%dx%s", p.Cloud, p.Place, p.GPUs, p.GPU), Cloud: p.Cloud, Region: p.region, Zone: p.Place,
			InstanceType: fmt.Sprintf("%dx%s", p.GPUs, p.GPU), GPU: p.GPU, GPUs: p.GPUs, Quota: 1, Boot: sim.Boot{Median: seconds(c.BootS)}}
		if pool.Region == "" {
			pool.Region, pool.Zone = p.Place, ""
		}
		h := sim.Trace{Pool: pool}
		for _, x := range p.prices {
			at := max(sim.Time(0).Add(x.At.Sub(firstDay)), 0)
			h.Prices = append(h.Prices, sim.Price{At: at, USD: x.USDPerH / float64(p.GPUs)})
		}
		h.Nodes = c.lifetimes(lifetimes[p.GPU], pool.Name, h.Prices[0].At, end) // nothing before it has a price
		h.Prices[0].At = 0
		list = append(list, h)
	}
	return sim.NewMarket(end, list)
}

// lifetimes is one machine after another in a pool, each as long as a recorded one.
func (c *conditions) lifetimes(recorded []float64, pool string, from, end sim.Time) (events []sim.NodeEvent) {
	draw, n := sim.Rand{Seed: 1}, uint64(0)
	for t := from; t < end; n++ {
		events = append(events, sim.NodeEvent{At: t, Up: true})
		life := recorded[draw.Intn(sim.PurposeUser, sim.NameEntity(pool), n, len(recorded))]
		if t = t.Add(seconds(life)); t < end {
			events = append(events, sim.NodeEvent{At: t})
		}
		t = t.Add(seconds(c.GapS))
	}
	return events
}

func seconds(s float64) time.Duration { return papers.Seconds(s) }

// lifetimes returns the recorded lifetimes by kind of GPU, s.
func lifetimes() (map[string][]float64, error) {
	type row struct {
		GPU     string `col:"gpu"`
		Seconds string `col:"seconds"`
	}
	out := map[string][]float64{}
	for _, r := range facts.ReadFrom[row](files, "lifetimes") {
		for _, text := range strings.Fields(r.Seconds) {
			s, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, err
			}
			out[r.GPU] = append(out[r.GPU], s)
		}
	}
	return out, nil
}

// Move implements sim.Mover, by the tariff.
func (c *conditions) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	a, b := placeOf(from), placeOf(to)
	tariff, _ := charges.NamedTariff(c.Tariff)
	usd, err := tariff.USD(a, b, c.GB)
	if err != nil {
		panic(fmt.Sprintf("regions: %v", err)) // the places are those of the facts
	}
	return sim.Move{USD: usd, Time: seconds(charges.TransferSeconds(a, b, c.GB))}
}

func placeOf(p *sim.Pool) charges.Place {
	return charges.Place{Cloud: p.Cloud, Region: p.Region, Zone: p.Zone}
}

// gpuJob is a sim.WorkerModel of a job on one GPU.
type gpuJob struct {
	speeds     reference.Speeds
	work       float64 // steps
	conditions *conditions
	market     *sim.Market
}

// run returns what the job costs from a start under a policy, USD.
func (g *gpuJob) run(world *sim.World, policy sim.Policy, start int) (float64, error) {
	job := sim.Job{Model: g, Objective: sim.Objective{Loss: 0, Within: 90 * 24 * time.Hour}}
	config := sim.Config{Market: g.market, Jobs: []sim.Job{job}, Policy: policy, Start: sim.Time(0).Add(time.Duration(start) * 24 * time.Hour),
		Billing: sim.PerSecond(), Seed: 1}
	if g.conditions.GB > 0 {
		config.Moves = g.conditions
	}
	if err := world.Reset(config); err != nil {
		return 0, err
	}
	t := world.Run()
	if !t.Jobs[0].Finished {
		return 0, fmt.Errorf("%s from day %d: not finished", policy.Name(), start)
	}
	return t.Bill.Total(), nil
}

// Progress is steps done; the loss is what is left.

// Rate implements sim.Model.
func (g *gpuJob) Rate(l *sim.Layout) sim.Rate {
	best := 0.0
	for p, n := range l.Workers {
		if n > 0 {
			best = max(best, g.speeds[g.market.Pool(p).GPU])
		}
	}
	return sim.Rate{Progress: best, Iterations: best, Samples: best, Working: int32(min(l.Total(), 1))}
}

// Begin implements sim.Model.
func (g *gpuJob) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (g *gpuJob) Goal(loss float64) float64 { return g.work - loss }

// Loss implements sim.Model.
func (g *gpuJob) Loss(progress float64) float64 { return g.work - progress }

// Change implements sim.Model.
func (g *gpuJob) Change(c *sim.Change) sim.Pause {
	if c.Lost == 0 {
		return sim.Pause{}
	}
	return sim.Pause{Stall: seconds(g.conditions.RestartS), As: sim.Restoring, Rollback: true}
}

// SaveTime implements sim.Model.
func (g *gpuJob) SaveTime(*sim.Layout) (stall, persist time.Duration) {
	return seconds(g.conditions.SaveS), 0
}

// Workers implements sim.WorkerModel.
func (g *gpuJob) Workers(_ int, _ float64, into []sim.Worker) {
	for p := range into {
		v := g.speeds[g.market.Pool(p).GPU]
		into[p] = sim.Worker{Rate: v, Speed: v}
	}
}

// NeedsServers implements sim.WorkerModel.
func (*gpuJob) NeedsServers() bool { return false }

// WorkerBounds implements sim.WorkerModel.
func (g *gpuJob) WorkerBounds(_, _, _ float64) (lo, hi int) { return 1, 1 }

// Estimate implements sim.WorkerModel.
func (g *gpuJob) Estimate(t sim.Tally, from, to float64) sim.Estimate {
	steps := min(from, g.work) - to
	return sim.Estimate{Iterations: steps, Seconds: math.Max(steps, 0) / t.Top, Batch: 1}
}
