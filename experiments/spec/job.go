package spec

import (
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Job returns the job of an objective, by its number.
func (s *Spec) Job(o int, model sim.Model) sim.Job {
	b := &s.Market.Billing
	servers, _ := s.servers()
	kept := sim.Checkpoints{}
	if c := b.Checkpoint; c != nil {
		kept = sim.Checkpoints{GB: c.GB, Keep: max(c.Keep, 1), Price: c.USDPerGBMonth}
	}
	objective := &s.Objectives[o]
	return sim.Job{
		Name:                 objective.Name,
		Model:                model,
		Objective:            sim.Objective{Loss: objective.Loss, Within: units.Seconds(objective.TimeS)},
		ParameterServers:     servers,
		ParameterServerPrice: stats.Or(b.ParameterServerUSDPerH, sim.DefaultParameterServerPrice),
		StorageGB:            b.StorageGB,
		StoragePrice:         b.StorageUSDPerGBMonth,
		Checkpoints:          kept,
	}
}

// Billing returns the billing rules, sim.PerSecond where the spec is silent.
func (s *Spec) Billing() sim.Billing {
	b := &s.Market.Billing
	rules := sim.PerSecond()
	if b.IncrementS != nil {
		rules.Increment = units.Seconds(*b.IncrementS)
	}
	if b.MinimumS != nil {
		rules.Minimum = units.Seconds(*b.MinimumS)
	}
	const hoursPerMonth = 730
	rules.DiskUSDPerHour = b.DiskGB * b.DiskUSDPerGBMonth / hoursPerMonth
	rules.Tax = b.Tax
	rules.FreeFirstHour = b.FreeFirstHour
	rules.SkipParameterServers = b.SkipParameterServers
	return rules
}

// Granularity returns how a cloud counts billed time; nil where the spec says nothing of it.
func (s *Spec) Granularity(cloud string) *sim.Granularity {
	rules := s.Billing()
	for _, c := range s.Market.Billing.Clouds {
		if c.Cloud != cloud {
			continue
		}
		g := sim.Granularity{Increment: rules.Increment, Minimum: rules.Minimum}
		if c.IncrementS != nil {
			g.Increment = units.Seconds(*c.IncrementS)
		}
		if c.MinimumS != nil {
			g.Minimum = units.Seconds(*c.MinimumS)
		}
		return &g
	}
	return nil
}
