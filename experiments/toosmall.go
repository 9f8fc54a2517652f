package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// CannotMeet begins the warning of the runs of a policy that was set to hold too few instances for the objective.
const CannotMeet = "the objective cannot be met: "

// findTooSmall says, by objective and policy, where a policy was set to hold fewer instances than the objective takes,
// with the number that it takes; empty where it was not.
func (s *Study) findTooSmall() (found [][]string, err error) {
	w := s.Worker()
	defer w.Close()
	for o := range s.Spec.Objectives {
		found = append(found, make([]string, len(s.Spec.Policies)))
		for p := range s.Spec.Policies {
			if found[o][p], err = w.tooSmall(o, p); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// warnTooSmall puts what is wrong with the settings of a run's policy before its other warnings.
func (s *Study) warnTooSmall(c *Case, r *results.Summary) {
	if s.tooSmall == nil || s.tooSmall[c.Objective][c.Policy] == "" || r.Met {
		return
	}
	text := CannotMeet + s.tooSmall[c.Objective][c.Policy]
	r.Warnings = joinWarnings(text, r.Warnings)
}

// TooSmall are the settings of policies with which an objective cannot be met, each with the objective and the policy.
func (s *Study) TooSmall() (all []string) {
	for o := range s.tooSmall {
		for p, text := range s.tooSmall[o] {
			if text != "" {
				all = append(all, fmt.Sprintf("%s, %s: %s", s.Spec.Objectives[o].Name, s.Spec.Policies[p].Name, text))
			}
		}
	}
	return all
}

// tooSmall says that the p-th policy was set to hold too few instances for the o-th objective; empty where it was not,
// and where no number is enough: that is not for want of a setting.
func (w *Worker) tooSmall(o, p int) (string, error) {
	s := w.study
	objective := &s.Spec.Objectives[o]
	if s.Spec.NoTraining() != nil || objective.Kind().NeedNotEnd || !s.Spec.Policies[p].Runs() {
		return "", nil
	}
	policy, err := s.Spec.Policies[p].New()
	if err != nil {
		return "", err
	}
	if _, wraps := policy.(policies.Wrapper); wraps {
		return "", nil // it trains on other numbers as well
	}
	settings := policies.Settings(policy)
	k := slices.IndexFunc(settings, func(x policies.Setting) bool { return x.Holds != "" })
	if k < 0 || settings[k].Value == 0. {
		return "", nil
	}
	c := s.At(0)
	c.Objective = o
	c.Policy = p
	if err := w.enter(c.Seed); err != nil {
		return "", err
	}
	config, err := w.loaded(c, nil)
	if err != nil {
		return "", err
	}
	job := &config.Jobs[0]
	set := int(settings[k].Value.(float64))
	each := settings[k].Holds == "each"
	within := job.Objective.Within.Seconds() + 1e-6 // the world's resolution
	least, trains := w.leastInstances(job, set, each, within)
	if least <= set {
		return "", nil
	}
	boot := s.Spec.Market.Boot.Distribution()
	withBoot, _ := w.leastInstances(job, set, each, within-boot.Median.Seconds())
	least = max(least, withBoot)
	why := "on which the job cannot train"
	if trains {
		why = "on which the job is not done within " + span(objective.TimeS) + " even if none is ever lost"
	}
	return fmt.Sprintf("%s is %d, %s: expected at least %d (or leave it out: the policy chooses)",
		settings[k].Name, set, why, least), nil
}

// maxTried bounds the numbers of instances that are tried.
const maxTried = 4096

// leastInstances returns the smallest number of instances of one type, or of each spot pool, that does a job
// within some seconds if none is ever lost; set if that many do, and 0 if no number does. It reports as well whether
// the job trains at all on set of them or fewer.
func (w *Worker) leastInstances(job *sim.Job, set int, each bool, within float64) (least int, trains bool) {
	fastest := math.Inf(1)
	for n := 1; n <= maxTried; n++ {
		layouts := w.layoutsOf(job.Model, n, each)
		if len(layouts) == 0 {
			break
		}
		for i := range layouts {
			fastest = min(fastest, trainingTime(job, &layouts[i]))
		}
		if n <= set && !math.IsInf(fastest, 1) {
			trains = true
		}
		switch {
		case fastest <= within && n <= set:
			return set, true
		case fastest <= within:
			return n, trains
		}
	}
	return 0, trains
}

// layoutsOf returns the clusters of n instances: of each type, as far as the quotas allow, or n of each spot pool
// together. Models that have layouts of several types may need them: they get n of each type besides, more than n
// instances. None: the quotas do not allow n.
func (w *Worker) layoutsOf(model sim.Model, n int, each bool) (all []sim.Layout) {
	together := sim.Layout{Workers: make([]int32, w.market.Pools())}
	allowed := false
	for _, group := range w.market.Groups(sim.ByType) {
		quota := 0
		for _, p := range group.Pools {
			pool := w.market.Pool(p)
			quota += pool.Quota
			if each && !pool.OnDemand {
				together.Workers[p] = int32(min(n, pool.Quota))
				allowed = allowed || n <= pool.Quota
			}
		}
		if each || quota < n {
			continue
		}
		alone := sim.Layout{Workers: make([]int32, w.market.Pools())}
		alone.Workers[group.Pools[0]] = int32(n)
		together.Workers[group.Pools[0]] = int32(n)
		all = append(all, alone)
	}
	if _, alike := model.(sim.WorkerModel); each && allowed || !alike && len(all) > 1 {
		all = append(all, together)
	}
	return all
}

// trainingTime returns how many seconds all of a job takes on a layout, with as many parameter servers as workers; +Inf
// if it cannot train on it.
func trainingTime(job *sim.Job, l *sim.Layout) float64 {
	l.Servers = int32(max(job.ParameterServers, l.Total()))
	layPipelines(l, job.Model, l.Total())
	rate := job.Model.Rate(l).Progress
	if !(rate > 0) {
		return math.Inf(1)
	}
	return (job.Model.Goal(job.Objective.Loss) - job.Model.Begin(l)) / rate
}

// layPipelines lays out the pipelines of a model that has them, and no workers, on n instances.
func layPipelines(l *sim.Layout, model sim.Model, n int) {
	pipelined, piped := model.(sim.PipelineModel)
	if _, workers := model.(sim.WorkerModel); !piped || workers {
		return
	}
	pipelines, stages := pipelined.Best(n)
	l.Pipelines = int32(pipelines)
	l.Stages = int32(stages)
}
