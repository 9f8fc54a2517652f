package spec

import (
	"cmp"
	"errors"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// link returns the rate between two groups, 0 where none is given.
func (s *Spec) link() float64 {
	r := s.Model.Replicas
	if r.LinkGBPerS == 0 && s.Market.Moves != nil {
		return stats.Or(s.Market.Moves.GBPerS, 0)
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

// replicated returns the model of replica groups for a number of pools.
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

// samples returns the size of the job.
func (r *Replicas) samples() float64 {
	if r.Steps > 0 {
		return r.Steps * cmp.Or(r.SamplesPerStep, 1)
	}
	return r.Samples
}
