// Package replicas is the kind of models of replica groups, each of which has the whole model of the network: torchft,
// DiLoCo (package calibrate/parallel, Groups).
package replicas

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:    "replicas",
		Name:   "of replica groups",
		Doc:    "replica groups that leave and come back while the others go on (torchft, DiLoCo)",
		Job:    func() model.Job { return &Replicas{} },
		Serves: []policies.Needs{policies.WorkerModels, policies.RestartingPipelines},
	})
}

// Replicas is training on replica groups.
type Replicas struct {
	Samples        float64 `json:"samples,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in samples"`
	Steps          float64 `json:"steps,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in steps of all groups, instead"`
	SamplesPerStep float64 `json:"samples_per_step,omitempty" above:"0" max:"1e12" jsonschema:"samples of a step of all groups together; 1 if absent"`

	Groups          int     `json:"groups" min:"1" max:"65536" required:"true" jsonschema:"replica groups that train at most"`
	WorkersPerGroup int     `json:"workers_per_group,omitempty" min:"1" max:"65536" jsonschema:"instances of a group; 1 if absent. Those that are left of a group which lost one fill the places of other groups"`
	MinGroups       int     `json:"min_groups,omitempty" min:"1" max:"65536" jsonschema:"groups below which nothing trains; 1 if absent"`
	StepS           float64 `json:"step_s" above:"0" max:"86400" required:"true" jsonschema:"time of a step of all groups, the exchange of gradients included"`
	OnLoss          string  `json:"on_loss,omitempty" names:"drop_step" jsonschema:"what the loss of an instance does: its group leaves, and the present step is done again, by those that are left; with sync_every it takes the group's work since the last outer step instead"`
	Batch           string  `json:"batch,omitempty" names:"shrinks,kept" jsonschema:"with fewer groups: shrinks (fewer samples a step) or kept (as many, in longer steps); shrinks if absent"`
	Rejoin          *Rejoin `json:"rejoin,omitempty" jsonschema:"how a group comes back; at once if absent"`

	SyncEvery  int     `json:"sync_every,omitempty" min:"1" max:"1000000" jsonschema:"inner steps between two outer steps, in which alone groups exchange something (DiLoCo); in every step if absent"`
	SyncS      float64 `json:"sync_s,omitempty" min:"0" max:"86400" needs:"sync_every" excludes:"sync_gb" jsonschema:"time of an outer step"`
	SyncGB     float64 `json:"sync_gb,omitempty" min:"0" max:"1e6" needs:"sync_every" jsonschema:"instead: what groups exchange by a ring in an outer step, over link_gb_per_s"`
	LinkGBPerS float64 `json:"link_gb_per_s,omitempty" above:"0" max:"1e6" jsonschema:"link between two groups, 1e9 bytes per second; gb_per_s of market.moves if absent"`

	RestartS  float64 `json:"restart_s,omitempty" min:"0" max:"86400" jsonschema:"time until training continues from the last save where no group was left"`
	SaveS     float64 `json:"save_s,omitempty" min:"0" max:"86400" needs:"interval_s" jsonschema:"time that training stops for a save"`
	PersistS  float64 `json:"persist_s,omitempty" min:"0" max:"86400" needs:"interval_s" jsonschema:"then until the save is safe, while training goes on"`
	IntervalS float64 `json:"interval_s,omitempty" min:"1" max:"604800" jsonschema:"between saves, under policies without an interval of their own; none are made if absent: all is lost where no group is left"`
}

// Rejoin says how a replica group comes back.
type Rejoin struct {
	StartS     float64 `json:"start_s,omitempty" min:"0" max:"86400" jsonschema:"from the boot of its instances until the group can load the state"`
	TransferGB float64 `json:"transfer_gb,omitempty" min:"0" max:"1e6" jsonschema:"state that it copies from another group, over link_gb_per_s, while the others go on"`
	StallS     float64 `json:"stall_s,omitempty" min:"0" max:"86400" jsonschema:"time that the others wait when the number of groups changes; 0 if absent"`
}

// Open implements model.Job.
func (r *Replicas) Open(s model.Study) (*model.Opened, error) {
	groups, err := r.groups(s)
	if err != nil {
		return nil, err
	}
	onOnePool, err := parallel.NewReplicated(groups, 1)
	if err != nil {
		return nil, err
	}
	if types := instanceTypes(s.Pools()); len(types) > 1 {
		return nil, fmt.Errorf("step_s is of one instance type, but the pools have %d: %v; expected pools of one type",
			len(types), types)
	}
	opened := &model.Opened{
		On:       func(pools []sim.Pool) (sim.Model, error) { return parallel.NewReplicated(groups, len(pools)) },
		Smallest: model.SmallestOf(onOnePool),
	}
	if r.IntervalS == 0 {
		opened.Warnings = append(opened.Warnings, "model.replicas has no interval_s: "+
			"where no group is left at an instant, all training is lost")
	}
	opened.Warnings = append(opened.Warnings,
		"model.replicas: accuracy, which the size of the batch and rare outer steps may change, is not modelled")
	return opened, nil
}

// SizeInSamples implements model.Sized.
func (r *Replicas) SizeInSamples() float64 {
	if r.Steps > 0 {
		return r.Steps * r.samplesPerStep()
	}
	return r.Samples
}

// Boot implements model.Booter: a group trains only when its instances have started it and copied the state. The median
// is later by that, and the spread in seconds stays about the same.
func (r *Replicas) Boot(s model.Study, of sim.Boot, _ bool) sim.Boot {
	rejoin := r.rejoinTime(s)
	if rejoin == 0 {
		return of
	}
	later := of
	later.Median += rejoin
	later.Sigma *= of.Median.Seconds() / later.Median.Seconds()
	return later
}

// rejoinTime returns how long after its boot an instance takes until its group trains.
func (r *Replicas) rejoinTime(s model.Study) time.Duration {
	if r.Rejoin == nil {
		return 0
	}
	seconds := r.Rejoin.StartS
	if link := r.link(s); r.Rejoin.TransferGB > 0 && link > 0 {
		seconds += r.Rejoin.TransferGB / link
	}
	return units.Seconds(seconds)
}

// link returns the rate between two groups, 0 where none is given.
func (r *Replicas) link(s model.Study) float64 {
	return cmp.Or(r.LinkGBPerS, s.LinkGBPerS())
}

func (r *Replicas) samplesPerStep() float64 { return cmp.Or(r.SamplesPerStep, 1) }

// groups returns what is trained, how fast, and what losses cost.
func (r *Replicas) groups(s model.Study) (parallel.Groups, error) {
	groups := parallel.Groups{
		Samples:  r.SizeInSamples(),
		Batch:    r.samplesPerStep(),
		Groups:   r.Groups,
		Workers:  cmp.Or(r.WorkersPerGroup, 1),
		Min:      cmp.Or(r.MinGroups, 1),
		Step:     units.Seconds(r.StepS),
		Kept:     r.Batch == "kept",
		Every:    r.SyncEvery,
		Sync:     units.Seconds(r.SyncS),
		SyncGB:   r.SyncGB,
		LinkGBS:  r.link(s),
		Restart:  units.Seconds(r.RestartS),
		Save:     units.Seconds(r.SaveS),
		Persist:  units.Seconds(r.PersistS),
		Interval: units.Seconds(r.IntervalS),
	}
	if r.Rejoin != nil {
		groups.Stall = units.Seconds(r.Rejoin.StallS)
	}
	const expected = "expected link_gb_per_s, or market.moves with gb_per_s"
	if groups.LinkGBS == 0 && r.Rejoin != nil && r.Rejoin.TransferGB > 0 {
		return groups, model.At("rejoin.transfer_gb", errors.New("no link to copy over: "+expected))
	}
	if groups.LinkGBS == 0 && r.SyncGB > 0 {
		return groups, model.At("sync_gb", errors.New("no link to exchange over: "+expected))
	}
	return groups, nil
}

// instanceTypes returns the instance types of pools, each once, in their order.
func instanceTypes(pools []model.Pool) (types []string) {
	for _, pool := range pools {
		if !slices.Contains(types, pool.Type) {
			types = append(types, pool.Type)
		}
	}
	return types
}
