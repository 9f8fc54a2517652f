// Package waiting computes the claims of "Waiting Game" (SC 2020): a fixed cluster whose jobs may go to on-demand
// machines instead, in closed form and simulated.
package waiting

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/papers"
)

// waitingInputs are the clusters of the figures on waiting.
type waitingInputs struct {
	Arrivals      float64 `json:"arrivals_per_s"`
	Service       float64 `json:"service_per_s"`
	FixedPrice    float64 `json:"fixed_price"`
	OnDemandPrice float64 `json:"on_demand_price"`
	MaxWaitS      float64 `json:"max_wait_s"`
	LongJobS      float64 `json:"long_job_s"`
	Rows          []struct {
		Policy  string `json:"policy"`
		Servers int    `json:"servers"`
	} `json:"rows"`
	Runs   int `json:"runs,omitempty"` // of the simulation
	Warmup int `json:"warmup_jobs,omitempty"`
	Jobs   int `json:"jobs,omitempty"`
}

var waitingPolicies = map[string]Policy{
	"njw": NoJobsWait, "ajw": AllJobsWait, "sww": ShortWaitsWait,
	"ajw-t": AllWaitTimedOut, "ljw": LongJobsWait,
}

// each calls visit with every cluster and its name, such as "sww-101".
func (in *waitingInputs) each(visit func(name string, c *Cluster)) error {
	for _, r := range in.Rows {
		policy, ok := waitingPolicies[r.Policy]
		if !ok {
			return fmt.Errorf("waiting policy %q", r.Policy)
		}
		visit(fmt.Sprintf("%s-%d", r.Policy, r.Servers), &Cluster{Policy: policy, Servers: r.Servers,
			Arrivals: in.Arrivals, Service: in.Service, FixedPrice: in.FixedPrice, OnDemandPrice: in.OnDemandPrice,
			MaxWait: in.MaxWaitS, LongJob: in.LongJobS})
	}
	return nil
}

// closedForms reports wait, price and on-demand share of each cluster.
func closedForms(f *papers.Figure) error {
	var in waitingInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	return in.each(func(name string, c *Cluster) {
		o := c.ClosedForm()
		f.Report(name+"-wait", o.Wait)
		f.Report(name+"-price", o.Price)
		f.Report(name+"-share", o.OnDemand)
	})
}

// simulated reports how many standard errors the simulated queues are away
// from the closed forms, where they are random.
func simulated(f *papers.Figure) error {
	var in waitingInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	return in.each(func(name string, c *Cluster) {
		var waits, shares []float64
		for i := range in.Runs {
			run := Simulation{Warmup: in.Warmup, Jobs: in.Jobs, Seed: uint64(i + 1)}
			o := run.Run(c)
			waits, shares = append(waits, o.Wait), append(shares, o.OnDemand)
		}
		want := c.ClosedForm()
		if want.Wait > 0 {
			f.Report(name+"-wait", standardErrors(waits, want.Wait))
		}
		if want.OnDemand > 1e-6 { // fewer jobs than that do not occur in the runs
			f.Report(name+"-share", standardErrors(shares, want.OnDemand))
		}
	})
}

// standardErrors returns how far the mean of x is from want.
func standardErrors(x []float64, want float64) float64 {
	mean, dev := stat.MeanStdDev(x, nil)
	return math.Abs(mean-want) / stat.StdErr(dev, float64(len(x)))
}
