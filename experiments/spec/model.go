package spec

import (
	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/sim/steps"
)

// Model says how the job trains: with parameter servers, after spotDNN,
// data-parallel, or in pipelines.
type Model struct {
	Published    string     `json:"published,omitempty" excludes:"profile,coefficients" jsonschema:"name of a profile that comes with marigram, for instance spotdnn-resnet110"`
	Profile      string     `json:"profile,omitempty" needs:"coefficients" jsonschema:"CSV file with a profile, relative to this file"`
	Coefficients string     `json:"coefficients,omitempty" needs:"profile" jsonschema:"CSV file with the coefficients, relative to this file"`
	Speeds       []string   `json:"speeds,omitempty" jsonschema:"model files of marigram calibrate fit, relative to this file: instance types with their GPU train at the speed that they predict, not at the measured one"`
	LossForm     string     `json:"loss_form,omitempty" names:"artifact,paper,figures" jsonschema:"one of spotDNN's published forms: artifact, paper or figures; artifact if absent"`
	BeginLoss    *float64   `json:"begin_loss,omitempty" jsonschema:"loss of the network before training, on any cluster, above the floor and the objectives; if absent, spotDNN's formula, in which it depends on the first cluster that the policy plans"`
	Training     *Training  `json:"training,omitempty" jsonschema:"how workers synchronise, and what the loss of the chief does; asynchronous, and the chief is replaced, if absent"`
	Pipelined    *Pipelined `json:"pipelined,omitempty" excludes:"*" jsonschema:"synchronous training, data-parallel or in pipelines; excludes the other keys"`

	Gang *cluster.Gang `json:"gang,omitempty" needs:"/jobs" excludes:"*" jsonschema:"how each of many jobs trains (jobs): all its GPUs at once; excludes the other keys"`

	DataParallel *DataParallel `json:"data_parallel,omitempty" excludes:"*" jsonschema:"synchronous data-parallel training (PyTorch DDP) from a few measured speeds; excludes the other keys"`

	Replicas *Replicas `json:"replicas,omitempty" excludes:"*" jsonschema:"replica groups that leave and come back while the others go on (torchft, DiLoCo); excludes the other keys"`

	Observed *fromruns.Option `json:"observed,omitempty" excludes:"*" jsonschema:"training as past runs did, by a model file of marigram backtest; excludes the other keys"`

	Notebooks *notebooks.Option `json:"notebooks,omitempty" excludes:"*" jsonschema:"sessions of notebooks, which need GPUs only while a cell runs, on hosts; excludes the other keys"`
}

// Training says how the workers keep together, and what hangs on the chief.
type Training struct {
	Mode             string   `json:"mode,omitempty" names:"asp,bsp,ssp,backup,flexible" jsonschema:"asp, bsp, ssp, backup or flexible; asp if absent"`
	Staleness        int      `json:"staleness,omitempty" needs:"mode=ssp" jsonschema:"mini-batches by which a worker may be ahead of the slowest (ssp)"`
	Backups          int      `json:"backups,omitempty" needs:"mode=backup" jsonschema:"number of slowest workers that a step does not wait for (backup)"`
	Sigma            *float64 `json:"sigma,omitempty" min:"0.01" max:"2" was:"spread" jsonschema:"standard deviation of the logarithm of a mini-batch's time, 0.01 to 2; 0.05 if absent"`
	ExchangeS        float64  `json:"exchange_s,omitempty" needs:"mode=bsp|backup|flexible" jsonschema:"added to each iteration (bsp, backup, flexible)"`
	ExchangeEachS    float64  `json:"exchange_each_s,omitempty" needs:"mode=bsp|backup|flexible" jsonschema:"added to each iteration for every worker (bsp, backup, flexible)"`
	ChiefLoss        string   `json:"chief_loss,omitempty" names:"replaced,rolls-back,job-lost" jsonschema:"what the loss of the oldest worker does: replaced, rolls-back (to the last save) or job-lost; replaced if absent"`
	ParameterServers *int     `json:"parameter_servers,omitempty" min:"1" max:"1024" jsonschema:"number at the start, at least 1; 1 if absent"`
}

// synchrony returns what the spec says, or the field that is wrong and why.
func (t *Training) synchrony() (y ps.Synchrony, field string, err error) {
	y = ps.Synchrony{Staleness: t.Staleness, Backups: t.Backups, Sigma: valueOr(t.Sigma, ps.DefaultSigma),
		Exchange: t.ExchangeS, ExchangeEach: t.ExchangeEachS}
	if t.Mode != "" {
		if y.Mode, err = steps.ParseMode(t.Mode); err != nil {
			return y, "mode", err
		}
	}
	if t.ChiefLoss != "" {
		if y.ChiefLoss, err = ps.ParseChiefLoss(t.ChiefLoss); err != nil {
			return y, "chief_loss", err
		}
	}
	return y, "", y.Check()
}

// servers returns the number of parameter servers at the start.
func (t *Training) servers() int {
	if t == nil || t.ParameterServers == nil {
		return 1
	}
	return *t.ParameterServers
}
