package spec

import (
	"errors"
	"slices"

	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"

	// The kinds of models and of objectives, and what users ask of schedulers, that specs know.
	_ "github.com/marigram/marigram/experiments/model/dataparallel"
	_ "github.com/marigram/marigram/experiments/model/layouts"
	_ "github.com/marigram/marigram/experiments/model/notebooks"
	_ "github.com/marigram/marigram/experiments/model/observed"
	_ "github.com/marigram/marigram/experiments/model/parameterservers"
	_ "github.com/marigram/marigram/experiments/model/pipelined"
	_ "github.com/marigram/marigram/experiments/model/replicas"
	_ "github.com/marigram/marigram/experiments/model/transformer"
	_ "github.com/marigram/marigram/experiments/objective/ettr"
	_ "github.com/marigram/marigram/experiments/objective/mostwork"
	_ "github.com/marigram/marigram/experiments/objective/rate"
	_ "github.com/marigram/marigram/experiments/objective/soft"
)

// kind returns the kind of the model and its job; nil of many jobs, which have models of their own.
func (s *Spec) kind() (*model.Kind, model.Job) {
	if !s.Workload().HasObjectives() {
		return nil, nil
	}
	return s.Model.Kind.Chosen()
}

// study is a spec as a kind of models sees it.
type study struct{ *Spec }

// placedError is an error at a place of the spec, as distinct from one that says only what is wrong.
type placedError struct{ error }

// ErrorAt implements model.Study.
func (s study) ErrorAt(path, format string, args ...any) error {
	return &placedError{s.Spec.ErrorAt(path, format, args...)}
}

// Pools implements model.Study.
func (s study) Pools() (pools []model.Pool) {
	for i := range s.Market.Pools {
		p := &s.Market.Pools[i]
		pools = append(pools, model.Pool{
			Type:            p.Type,
			Cloud:           p.Cloud,
			Region:          p.Region,
			Zone:            p.Zone,
			OnDemandUSDPerH: p.OnDemandUSDPerH,
		})
	}
	return pools
}

// Fleet implements model.Study.
func (s study) Fleet() int { return s.fleet() }

// Folder implements model.Study.
func (s study) Folder(name string) (string, error) { return s.folder(name) }

// TypeQuotas implements model.Study.
func (s study) TypeQuotas() (quotas []model.TypeQuota) {
	places := 1
	if generated := s.Market.Synthetic; generated != nil {
		regions, zones := generated.Size()
		places = regions * zones
	}
	for i := range s.Market.Pools {
		pool := &s.Market.Pools[i]
		k := slices.IndexFunc(quotas, func(q model.TypeQuota) bool { return q.Type == pool.Type })
		if k < 0 {
			k = len(quotas)
			quotas = append(quotas, model.TypeQuota{Type: pool.Type, Instances: s.BlocksOf(pool.Type)})
		}
		quotas[k].Instances += *pool.Quota*places + pool.OnDemandQuota*s.OnDemandPlaces()
	}
	return quotas
}

// Losses implements model.Study.
func (s study) Losses() (losses []float64) {
	for i := range s.Objectives {
		losses = append(losses, s.Objectives[i].Loss)
	}
	return losses
}

// Policies implements model.Study.
func (s study) Policies() (all []*model.Policy) {
	kind, _ := s.kind()
	for i := range s.Spec.Policies {
		p := &s.Spec.Policies[i]
		needs := policyNeeds(p.base())
		all = append(all, &model.Policy{
			Name:     p.Name,
			Needs:    needs,
			Settings: p.Settings,
			Own:      p.Own.Of(kind),
			Fleet:    s.fleetOf(needs),
			New:      p.New,
		})
	}
	return all
}

// OnDemand implements model.Study.
func (s study) OnDemand() int { return s.onDemand() }

// LnSpeed implements model.Study.
func (s study) LnSpeed() float64 { return s.lnSpeed }

// Seeds implements model.Study.
func (s study) Seeds() (first int64, count int) { return s.Seed, max(1, s.Spec.Seeds) }

// Estimate returns the speed that the job is estimated to have; false where it is not, or no runs at the ends of its
// band are asked for.
func (s *Spec) Estimate() (model.Estimate, bool) {
	if _, job := s.kind(); job != nil {
		if estimated, is := job.(model.Estimated); is {
			return estimated.Estimate(study{s})
		}
	}
	return model.Estimate{}, false
}

// AtSpeed returns the spec with the logarithm of an estimated speed moved so far from its middle.
func (s *Spec) AtSpeed(ln float64) *Spec {
	other := *s
	other.lnSpeed = ln
	return &other
}

// LinkGBPerS implements model.Study.
func (s study) LinkGBPerS() float64 {
	if s.Market.Moves == nil {
		return 0
	}
	return stats.Or(s.Market.Moves.GBPerS, 0)
}

// open opens the job of the model's kind. Errors have their place.
func (s *Spec) open() (*model.Opened, error) {
	_, job := s.kind()
	opened, err := job.Open(study{s})
	if err != nil {
		return nil, s.atModel(err)
	}
	return opened, nil
}

// atModel gives an error of a job its place, unless it has one.
func (s *Spec) atModel(err error) error {
	if placed, is := errors.AsType[*placedError](err); is {
		return placed.error
	}
	kind, _ := s.kind()
	return s.atPart(kind.Path(), "", err)
}

// checkModel reports what is wrong with the model, and which policies cannot run it.
func (s *Spec) checkModel() error {
	kind, job := s.kind()
	opened, err := job.Open(study{s})
	if absent(err) {
		return nil // said where models are made: a spec can be read without its data
	}
	if err != nil {
		return s.atModel(err)
	}
	if kind.Moves != "" && s.Market.Moves != nil {
		return s.ErrorAt("$.market.moves", "what moves is worked out by the model, which is %s, expected none: %s",
			kind.Name, kind.Moves)
	}
	billing := &s.Market.Billing
	priced := billing.SkipParameterServers || billing.ParameterServerUSDPerH != nil
	if _, unused := s.servers(); unused != "" && priced {
		return s.ErrorAt("$.market.billing", "a parameter server is priced, but %s", unused)
	}
	if perPolicy, is := job.(model.PerPolicy); is {
		return s.checkPerPolicy(perPolicy)
	}
	return s.checkFleets(opened.Smallest)
}

// servers returns how many parameter servers the job has at the start, and why it uses none; empty if it may.
func (s *Spec) servers() (atStart int, unused string) {
	kind, job := s.kind()
	if user, is := job.(model.ServerUser); is {
		return user.Servers(study{s})
	}
	if kind == nil {
		return 0, ""
	}
	return 0, "the model is " + kind.Name + ", which has none"
}

// NoTraining returns the kind of a model that is no job trained to an end; nil of others.
func (s *Spec) NoTraining() *model.Kind {
	if kind, _ := s.kind(); kind != nil && kind.NoTraining {
		return kind
	}
	return nil
}

// checkPlannable refuses a model for which no policy can plan.
func (s *Spec) checkPlannable(made sim.Model) error {
	kind, _ := s.kind()
	if kind == nil || kind.NoTraining {
		return nil
	}
	_, pipelines := made.(sim.PipelineModel)
	_, workers := made.(sim.WorkerModel)
	if !pipelines && !workers {
		return s.ErrorAt(kind.Path(), "%T is neither a sim.PipelineModel nor a sim.WorkerModel, "+
			"expected one for which policies can plan", made)
	}
	return nil
}

// Boot returns the time from the grant of an instance until it trains: that of market.boot, else the default, or what
// the kind of the model makes of it.
func (s *Spec) Boot() sim.Boot {
	if _, job := s.kind(); job != nil {
		if booter, is := job.(model.Booter); is {
			return booter.Boot(study{s}, s.Market.Boot.Distribution(), s.Market.Boot != Boot{})
		}
	}
	return s.Market.Boot.Distribution()
}
