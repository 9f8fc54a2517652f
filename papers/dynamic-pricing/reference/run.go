package reference

import "fmt"

// Job is work for one GPU.
type Job struct {
	Speeds   Speeds  // on one GPU of each kind
	V100Days float64 // the work: what one V100 does in n days
}

// Day is one day of a run.
type Day struct {
	Date      string
	Price             // what is rented, with its price of that day
	DoneShare float64 // of the work, at the start of the day
	PaidUSD   float64 // at the start of the day
}

// Run is what became of a job.
type Run struct {
	CostUSD float64
	Moves   int   // days on which it went to another instance
	Days    []Day // without the last date of the market, at whose prices all that is then left is paid
}

const daySeconds = 86400

// Run replays a job from a start, 0 to Starts-1, under a strategy. An error means that
// there is no such start, or nothing that the strategy could choose on the first day.
func (m *Market) Run(s *Strategy, job *Job, start int) (Run, error) {
	if start < 0 || start >= m.Starts() {
		return Run{}, fmt.Errorf("start %d, expected 0 to %d", start, m.Starts()-1)
	}
	r := &replay{market: m, strategy: s, job: job, left: daySeconds * job.V100Days * job.Speeds["v100"]}
	total := r.left
	for d := m.start(start); ; d++ {
		if err := r.rent(d); err != nil {
			return Run{}, err
		}
		if d >= m.end() { // not a day: all that is left is paid at its prices, and no fee
			r.finish()
			return r.run, nil
		}
		r.run.Days = append(r.run.Days, Day{d.date(), r.now, 1 - r.left/total, r.run.CostUSD})
		if r.day() {
			r.run.CostUSD += s.fee
			return r.run, nil
		}
	}
}

// replay is a run while it goes on.
type replay struct {
	market   *Market
	strategy *Strategy
	job      *Job
	now      Price   // what is rented
	left     float64 // steps
	run      Run
}

// rent chooses, or goes on with what there is at the price of the day.
func (r *replay) rent(d day) error {
	before := r.now.Instance
	if before.GPUs == 0 || r.strategy.Step {
		if p, ok := r.strategy.choose(r.market.offers[d], r.job.Speeds); ok {
			r.now = p
		}
	} else if price, ok := r.market.last[d][before]; ok {
		r.now.USDPerH = price
	}
	if r.now.GPUs == 0 {
		return fmt.Errorf("%s finds nothing on %s", r.strategy.Name, d.date())
	}
	if before.GPUs > 0 && before != r.now.Instance {
		r.run.Moves++
	}
	return nil
}

// day lets a day go by and reports whether the job is done.
func (r *replay) day() bool {
	steps := daySeconds * r.job.Speeds[r.now.GPU]
	if r.left <= steps {
		r.finish()
		return true
	}
	r.run.CostUSD += 24 * r.usdPerH()
	r.left -= steps
	return false
}

// finish pays what is left at the present price and speed.
func (r *replay) finish() {
	r.run.CostUSD += r.left / (3600 * r.job.Speeds[r.now.GPU]) * r.usdPerH()
	r.left = 0
}

// usdPerH returns the price of one GPU.
func (r *replay) usdPerH() float64 { return r.now.USDPerH / float64(r.now.GPUs) }
