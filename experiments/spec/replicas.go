package spec

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Replicas is training on replica groups, each of which has the whole model: torchft, DiLoCo (package calibrate/parallel, Groups).
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

// link returns the rate between two groups, 0 where none is given.
func (s *Spec) link() float64 {
	r := s.Model.Replicas
	if r.LinkGBPerS == 0 && s.Market.Moves != nil {
		return valueOr(s.Market.Moves.GBPerS, 0)
	}
	return r.LinkGBPerS
}

// rejoinTime returns how long after its boot an instance takes until its group trains, 0 for other models.
func (s *Spec) rejoinTime() time.Duration {
	if s.Model.Replicas == nil || s.Model.Replicas.Rejoin == nil {
		return 0
	}
	r := s.Model.Replicas.Rejoin
	seconds := r.StartS
	if r.TransferGB > 0 && s.link() > 0 {
		seconds += r.TransferGB / s.link()
	}
	return units.Seconds(seconds)
}

// after returns a boot that takes so much longer: its median is later by that, and its spread in seconds stays about the same.
func after(b sim.Boot, more time.Duration) sim.Boot {
	if more > 0 {
		median := b.Median
		b.Median += more
		b.Sigma *= median.Seconds() / b.Median.Seconds()
	}
	return b
}

// replicated returns the model of replica groups for so many pools.
func (s *Spec) replicated(pools int) (*parallel.Replicated, error) {
	r := s.Model.Replicas
	per := cmp.Or(r.SamplesPerStep, 1)
	g := parallel.Groups{Samples: r.Samples, Batch: per, Groups: r.Groups, Workers: cmp.Or(r.WorkersPerGroup, 1), Min: cmp.Or(r.MinGroups, 1),
		Step: units.Seconds(r.StepS), Kept: r.Batch == "kept", Every: r.SyncEvery, Sync: units.Seconds(r.SyncS), SyncGB: r.SyncGB, LinkGBS: s.link(),
		Restart: units.Seconds(r.RestartS), Save: units.Seconds(r.SaveS), Persist: units.Seconds(r.PersistS), Interval: units.Seconds(r.IntervalS)}
	if r.Steps > 0 {
		g.Samples = r.Steps * per
	}
	if r.Rejoin != nil {
		g.Stall = units.Seconds(r.Rejoin.StallS)
		if r.Rejoin.TransferGB > 0 && g.LinkGBS == 0 {
			return nil, &partError{"rejoin.transfer_gb", errors.New("no link to copy over: expected link_gb_per_s, or market.moves with gb_per_s")}
		}
	}
	if r.SyncGB > 0 && g.LinkGBS == 0 {
		return nil, &partError{"sync_gb", errors.New("no link to exchange over: expected link_gb_per_s, or market.moves with gb_per_s")}
	}
	return parallel.NewReplicated(g, pools)
}

// replicaModels returns the model for a market's pools, and why its numbers may mislead.
func (s *Spec) replicaModels() (on func(types []string) (sim.Model, error), warnings []string, err error) {
	on = func(types []string) (sim.Model, error) { return s.replicated(len(types)) }
	if r := s.Model.Replicas; r.IntervalS == 0 {
		warnings = append(warnings, "model.replicas has no interval_s: where no group is left at an instant, all training is lost")
	}
	return on, append(warnings, "model.replicas: accuracy, which the size of the batch and rare outer steps may change, is not modelled"), nil
}

// checkReplicas reports what is wrong with a model of replica groups.
func (s *Spec) checkReplicas() error {
	const at = "$.model.replicas"
	model, err := s.replicated(1)
	if err != nil {
		return s.atPart(at, "", err)
	}
	var types []string
	for i := range s.Market.Pools {
		if name := s.Market.Pools[i].Type; !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	if len(types) > 1 {
		return s.ErrorAt(at, "step_s is of one instance type, but the pools have %d: %v; expected pools of one type", len(types), types)
	}
	if b := &s.Market.Billing; b.SkipParameterServers || b.ParameterServerUSDPerH != nil {
		return s.ErrorAt("$.market.billing", "a parameter server is priced, and replica groups have none")
	}
	return s.checkFleets(minInstances(model))
}

// samples returns the size of the job.
func (r *Replicas) samples() float64 {
	if r.Steps > 0 {
		return r.Steps * cmp.Or(r.SamplesPerStep, 1)
	}
	return r.Samples
}
