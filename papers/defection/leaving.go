package defection

import (
	"fmt"

	"github.com/marigram/marigram/papers"
)

// sharedCase is a population on servers.
type sharedCase struct {
	Name        string  `json:"name"`
	Population  string  `json:"population"`
	Servers     int     `json:"servers"`
	Utilisation float64 `json:"utilisation,omitempty"`
	OnDemandUSD float64 `json:"on_demand_usd,omitempty"`
	Jobs        int     `json:"jobs,omitempty"` // of a simulation
}

// leaving reports the share of users who leave, and of the load that leaves with them.
func leaving(f *papers.Figure) error {
	var in struct {
		MaxWait float64      `json:"max_wait"`
		Cases   []sharedCase `json:"cases"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, c := range in.Cases {
		users, err := Population(c.Population)
		if err != nil {
			return err
		}
		cluster := SharedCluster{Servers: c.Servers, Utilisation: c.Utilisation, MaxWait: in.MaxWait, ReservedUSD: 1, OnDemandUSD: c.OnDemandUSD}
		if err := cluster.Check(users); err != nil {
			return err
		}
		rounds := cluster.Rounds(users)
		first, last := &rounds[0], &rounds[len(rounds)-1]
		f.Report(c.Name+"-users", 1-float64(len(last.Users))/float64(len(users)))
		f.Report(c.Name+"-load", 1-last.Load/first.Load)
	}
	return nil
}

// simulatedWaits reports how far simulated waits are from the closed form.
func simulatedWaits(f *papers.Figure) error {
	var in struct {
		Cases []sharedCase `json:"cases"`
		Runs  int          `json:"runs"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, c := range in.Cases {
		users, err := Population(c.Population)
		if err != nil {
			return err
		}
		run := SharedSimulation{Warmup: c.Jobs / 10, Jobs: c.Jobs, Seed: 1}
		waitH, stderr := run.Mean(users, c.Servers, in.Runs)
		closed := SharedWait(users, c.Servers)
		f.Report(c.Name, waitH/closed-1)
		f.Note(c.Name, fmt.Sprintf("closed form %.4g h, simulated %.4g h, standard error %.2g h", closed, waitH, stderr))
	}
	return nil
}
