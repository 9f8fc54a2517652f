package experiments

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// ManyJobs is the number of jobs above which runs keep no timelines, unless the spec says that they do.
const ManyJobs = 100_000

// openJobs reads the many jobs of a spec and makes those of its first seed, so that what is wrong with them is
// known before anything runs.
func (s *Study) openJobs() error {
	work, err := workload.Open(s.Spec)
	if err != nil {
		return err
	}
	s.work = work
	s.Warnings = append(s.Warnings, work.Warnings...)
	market, err := s.Markets.For(uint64(s.Spec.Seed))
	if err != nil {
		return err
	}
	first, err := work.For(s.Spec.Seed, market, 0)
	if err != nil {
		return s.Spec.ErrorAt("$.jobs", "%v", err)
	}
	if s.jobs = first.N; s.jobs > ManyJobs && s.Spec.Timelines == nil {
		s.Timelines = 0
	}
	for i := range s.Spec.Policies {
		policy, err := s.Spec.Policies[i].New()
		if err == nil {
			err = s.checkPlaces(i, policy, first)
		}
		if err != nil {
			return err
		}
		s.warnClass(&s.Spec.Policies[i], policy, first)
		s.warnRounds(i, policy)
	}
	if first.Dropped > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d of %d jobs were left out: they ask for more GPUs than there are on which they run (drop_too_large)",
			first.Dropped, first.Dropped+first.N))
	}
	if first.Unnamed != "" {
		s.Warnings = append(s.Warnings, first.Unnamed)
	}
	for _, kind := range first.Strange {
		s.Warnings = append(s.Warnings, fmt.Sprintf("model.gang.network_by_kind: no job is of kind %q", kind))
	}
	m, g := &s.Spec.Market, s.Spec.Model.Gang
	slows := g != nil && (g.Network != nil || g.NetworkByKind != nil)
	if len(m.Tiers) > 0 && (m.Moves == nil || m.Moves.ByTier == nil) && !slows {
		s.Warnings = append(s.Warnings, "market.tiers: how far apart GPUs are changes no speed and no price of a move "+
			"(model.gang.network and market.moves.by_tier say what it changes)")
	}
	if s.Spec.Seeds > 1 && !work.Drawn() && s.Spec.FixedCluster() && len(s.Spec.Failures()) == 0 {
		s.Warnings = append(s.Warnings, "all seeds are alike: the jobs are those of the trace, and the cluster does not change; --seeds 1 says the same")
	}
	return nil
}

// warnClass warns of a class that is set, where all jobs are of the same or of none.
func (s *Study) warnClass(p *spec.Policy, policy sim.Policy, jobs *workload.Jobs) {
	edf, is := policy.(*schedulers.EDF)
	if _, set := p.Settings["class"]; !is || !set || edf.Class == schedulers.NoClass {
		return
	}
	of := jobs.Users
	if edf.Class == schedulers.ByKind {
		of = jobs.Kinds
	}
	why := fmt.Sprintf("no job has a %s", edf.Class)
	if of.One != "" {
		why = fmt.Sprintf("all jobs are of the %s %q", edf.Class, of.One)
	}
	if !of.Several {
		s.Warnings = append(s.Warnings, fmt.Sprintf("policy %s: class has no effect, because %s", p.Name, why))
	}
}

// warnRounds warns of rounds of which a restart takes half or more: jobs that take turns get their GPUs anew in every
// round, and train for the rest of it.
func (s *Study) warnRounds(i int, policy sim.Policy) {
	turns, says := policy.(interface{ RoundLength() time.Duration })
	gang := s.Spec.Model.Gang
	if !says || gang == nil {
		return
	}
	round := turns.RoundLength().Seconds()
	if gang.RestartS < round/2 {
		return
	}
	at := fmt.Sprintf("$.policies[%d]", i)
	text := "trains in what is left of it"
	if gang.RestartS >= round {
		text = "never trains"
	}
	said := s.Spec.ErrorAt(at, "policy %s gives GPUs out anew every %v s (round_s), and a job that was stopped restarts "+
		"for %v s (model.gang.restart_s): one of several jobs that take turns %s; set round_s to %v or more",
		policy.Name(), round, gang.RestartS, text, 10*gang.RestartS).Error()
	line, _, _ := strings.Cut(said, "\n")
	s.Warnings = append(s.Warnings, line)
}

// checkPlaces refuses schedulers that would give a job GPUs on which it does not run, and keep them for ever, and those
// that would never have GPUs for a job.
func (s *Study) checkPlaces(i int, policy sim.Policy, work *workload.Jobs) error {
	at := fmt.Sprintf("$.policies[%d]", i)
	if !sim.TraitsOf(policy).KnowsModels && work.Picky != "" {
		return s.Spec.ErrorAt(at, "policy %s does not say that it looks at models of GPU (sim.Traits.KnowsModels), but %s: it would hold GPUs there for ever; "+
			"expected one of marigram's schedulers, or servers on which all jobs run", policy.Name(), work.Picky)
	}
	if r, says := policy.(interface{ RentsOnDemand() bool }); says && !r.RentsOnDemand() && work.Stranded != "" {
		return s.Spec.ErrorAt(at, "policy %s rents nothing on demand, but %s: it would wait for ever; "+
			"expected more servers, or a scheduler that rents (starburst, deadline-spot)",
			policy.Name(), work.Stranded)
	}
	if f, says := policy.(interface{ Fits() schedulers.Fit }); says {
		larger := [...]string{"", work.Larger.Model, work.Larger.GPU}[f.Fits()]
		if larger != "" {
			return s.Spec.ErrorAt(at, "policy %s runs a job on %v only, but %s: it would wait for ever; "+
				"expected smaller jobs, or a scheduler such as fifo, las or tiresias",
				policy.Name(), f.Fits(), larger)
		}
	}
	return nil
}
