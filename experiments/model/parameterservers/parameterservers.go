// Package parameterservers is the kind of models of workers on parameter servers that train to a loss, after spotDNN
// (package calibrate/ps). Its keys are those of model itself.
package parameterservers

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/steps"
)

func init() {
	model.Register(model.Kind{
		Name:   "asynchronous, with workers",
		Job:    func() model.Job { return &Workers{} },
		Serves: []policies.Needs{policies.WorkerModels, policies.ServerModels},
		ByLoss: true,
		Names:  func() map[string][]string { return map[string][]string{"published": ps.PublishedNames()} },
	})
}

// Workers is training by workers on parameter servers.
type Workers struct {
	Published    string    `json:"published,omitempty" excludes:"profile,coefficients" jsonschema:"name of a profile that comes with marigram, for instance spotdnn-resnet110"`
	Profile      string    `json:"profile,omitempty" needs:"coefficients" jsonschema:"CSV file with a profile, relative to this file"`
	Coefficients string    `json:"coefficients,omitempty" needs:"profile" jsonschema:"CSV file with the coefficients, relative to this file"`
	Speeds       []string  `json:"speeds,omitempty" jsonschema:"model files of marigram calibrate fit, relative to this file: instance types with their GPU train at the speed that they predict, not at the measured one"`
	LossForm     string    `json:"loss_form,omitempty" names:"artifact,paper,figures" jsonschema:"one of spotDNN's published forms: artifact, paper or figures; artifact if absent"`
	BeginLoss    *float64  `json:"begin_loss,omitempty" jsonschema:"loss of the network before training, on any cluster, above the floor and the objectives; if absent, spotDNN's formula, in which it depends on the first cluster that the policy plans"`
	Training     *Training `json:"training,omitempty" jsonschema:"how workers synchronise, and what the loss of the chief does; asynchronous, and the chief is replaced, if absent"`
}

// Training says how the workers keep together, and what hangs on the chief.
type Training struct {
	Mode             string   `json:"mode,omitempty" names:"asp,bsp,ssp,backup,flexible" jsonschema:"asp, bsp, ssp, backup or flexible; asp if absent"`
	Staleness        int      `json:"staleness,omitempty" needs:"mode=ssp" jsonschema:"mini-batches by which a worker may be ahead of the slowest (ssp)"`
	Backups          int      `json:"backups,omitempty" needs:"mode=backup" jsonschema:"number of slowest workers that a step does not wait for (backup)"`
	Sigma            *float64 `json:"sigma,omitempty" min:"0.01" max:"2" jsonschema:"standard deviation of the logarithm of a mini-batch's time, 0.01 to 2; 0.05 if absent"`
	ExchangeS        float64  `json:"exchange_s,omitempty" needs:"mode=bsp|backup|flexible" jsonschema:"added to each iteration (bsp, backup, flexible)"`
	ExchangeEachS    float64  `json:"exchange_each_s,omitempty" needs:"mode=bsp|backup|flexible" jsonschema:"added to each iteration for every worker (bsp, backup, flexible)"`
	ChiefLoss        string   `json:"chief_loss,omitempty" names:"replaced,rolls-back,job-lost" jsonschema:"what the loss of the oldest worker does: replaced, rolls-back (to the last save) or job-lost; replaced if absent"`
	ParameterServers *int     `json:"parameter_servers,omitempty" min:"1" max:"1024" jsonschema:"number at the start, at least 1; 1 if absent"`
}

// profiled is what was read of a network.
type profiled struct {
	profile ps.Profile
	losses  ps.Coefficients
	form    ps.Form
}

// Open implements model.Job.
func (w *Workers) Open(s model.Study) (*model.Opened, error) {
	network, err := w.read(s)
	if err != nil {
		return nil, err
	}
	warnings, err := w.predictSpeeds(s, network)
	if err != nil {
		return nil, err
	}
	mode, err := w.synchrony()
	if err != nil {
		return nil, err
	}
	types := network.profile.Types()
	base, err := network.on(types)
	if err != nil {
		return nil, err
	}
	for i, pool := range s.Pools() {
		if !slices.Contains(types, pool.Type) {
			return nil, s.ErrorAt(fmt.Sprintf("$.market.pools[%d].type", i),
				"no profile of instance type %q; the profile has %s", pool.Type, strings.Join(types, ", "))
		}
	}
	if err := w.checkLosses(s, base, network.losses.Gamma5); err != nil {
		return nil, err
	}
	return &model.Opened{On: network.under(mode), Warnings: warnings}, nil
}

// Files implements model.Reader.
func (w *Workers) Files(model.Study) []string {
	return append([]string{w.Profile, w.Coefficients}, w.Speeds...)
}

// Servers implements model.ServerUser.
func (w *Workers) Servers(model.Study) (atStart int, unused string) {
	if w.Training == nil {
		return 1, ""
	}
	return stats.Or(w.Training.ParameterServers, 1), ""
}

// NoBound implements model.Unbounded.
func (w *Workers) NoBound() (key, why string) {
	if w.Training == nil {
		return "", ""
	}
	return "training", "the least cost of clusters is known for asynchronous training without this key only"
}

// read reads the profile and the coefficients.
func (w *Workers) read(s model.Study) (*profiled, error) {
	var network profiled
	var err error
	network.form = ps.FormArtifact
	if w.LossForm != "" {
		if network.form, err = ps.ParseForm(w.LossForm); err != nil {
			return nil, err
		}
	}
	switch {
	case w.Published != "":
		network.profile, network.losses, err = ps.Published(w.Published)
	case w.Profile != "":
		if network.profile, err = ps.OpenProfile(s.Path(w.Profile)); err != nil {
			return nil, err
		}
		network.losses, err = ps.OpenCoefficients(s.Path(w.Coefficients))
	default:
		err = fmt.Errorf("expected published, or profile and coefficients, or one of %s", otherKinds())
	}
	network.losses.BeginLoss = stats.Or(w.BeginLoss, 0)
	return &network, err
}

// otherKinds lists the keys of the kinds that have one.
func otherKinds() string {
	var keys []string
	for _, kind := range model.Kinds() {
		if kind.Key != "" {
			keys = append(keys, kind.Key)
		}
	}
	return strings.Join(keys, ", ")
}

// predictSpeeds gives the profile the speeds that the spec's model files predict, and says why they may mislead.
func (w *Workers) predictSpeeds(s model.Study, network *profiled) (warnings []string, err error) {
	var types []string
	for _, pool := range s.Pools() {
		types = append(types, pool.Type)
	}
	for i, name := range w.Speeds {
		fitted, err := calibrate.OpenModel(s.Path(name))
		var doubts []string
		if err == nil {
			network.profile, doubts, err = ps.PredictSpeeds(fitted, network.profile, types)
		}
		if err != nil {
			return nil, s.ErrorAt(fmt.Sprintf("$.model.speeds[%d]", i), "%s: %v", name, err)
		}
		warnings = append(warnings, doubts...)
	}
	return warnings, nil
}

// synchrony returns how the workers keep together; nil where the spec does not say it.
func (w *Workers) synchrony() (*ps.Synchrony, error) {
	t := w.Training
	if t == nil {
		return nil, nil
	}
	mode := ps.Synchrony{
		Staleness:    t.Staleness,
		Backups:      t.Backups,
		Sigma:        stats.Or(t.Sigma, ps.DefaultSigma),
		Exchange:     t.ExchangeS,
		ExchangeEach: t.ExchangeEachS,
	}
	var err error
	if t.Mode != "" {
		if mode.Mode, err = steps.ParseMode(t.Mode); err != nil {
			return nil, model.At("training.mode", err)
		}
	}
	if t.ChiefLoss != "" {
		if mode.ChiefLoss, err = ps.ParseChiefLoss(t.ChiefLoss); err != nil {
			return nil, model.At("training.chief_loss", err)
		}
	}
	if err := mode.Check(); err != nil {
		return nil, model.At("training", err)
	}
	return &mode, nil
}

// on returns the model of asynchronous training on instance types.
func (n *profiled) on(types []string) (*ps.ASP, error) {
	return ps.NewASP(n.profile, n.losses, n.form, types)
}

// under returns what makes the models of a mode. Its tables, which take longer than a model, are made once.
func (n *profiled) under(mode *ps.Synchrony) func(pools []sim.Pool) (sim.Model, error) {
	tables := sync.OnceValues(func() (*ps.Synchronised, error) {
		base, err := n.on(n.profile.Types())
		if err != nil {
			return nil, err
		}
		return ps.NewSynchronised(base, len(n.profile), *mode)
	})
	return func(pools []sim.Pool) (sim.Model, error) {
		types := make([]string, len(pools))
		for i := range pools {
			types[i] = pools[i].InstanceType
		}
		base, err := n.on(types)
		if err != nil || mode == nil {
			return base, err
		}
		synchronised, err := tables()
		if err != nil {
			return nil, err
		}
		return synchronised.Over(base, len(types)), nil
	}
}

// checkLosses refuses losses that no training reaches, or that training has before it begins.
func (w *Workers) checkLosses(s model.Study, base *ps.ASP, floor float64) error {
	begin := w.BeginLoss
	if begin != nil && !(*begin > floor && *begin <= 1e6) {
		return s.ErrorAt("$.model.begin_loss", "%v, expected more than %v, the floor that the model's loss "+
			"approaches, and at most 1e6", *begin, floor)
	}
	instances := s.Fleet()
	for i, loss := range s.Losses() {
		at := fmt.Sprintf("$.objectives[%d].loss", i)
		switch {
		case loss <= floor:
			return s.ErrorAt(at, "%v, expected more than %v, the floor that the model's loss approaches", loss, floor)
		case begin != nil && loss >= *begin:
			return s.ErrorAt(at, "%v, expected less than model.begin_loss, %v: it is reached before training",
				loss, *begin)
		case begin == nil && instances > 0 && loss >= base.HighestBegin(instances):
			return s.ErrorAt(at, "%v, expected less than %.4g: training begins at no higher loss, "+
				"whatever the cluster, so it is reached before training; model.begin_loss sets another one",
				loss, base.HighestBegin(instances))
		}
	}
	return nil
}
