package layouts

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/sim"
)

// warnings says why the numbers may mislead.
func (l *Layout) warnings() (warnings []string) {
	if l.Links != nil && l.opened.tariff == nil && (l.Links.RegionGBPerS > 0 || l.Links.BeyondGBPerS > 0) {
		warnings = append(warnings, "model.layout.links has no tariff: traffic between zones is free")
	}
	if l.opened.runtime.Name == layout.ProfilerRuntime {
		warnings = append(warnings, "model.layout: runtime torch: transfers and all-reduces were not measured: "+
			"they take what links say, and nothing hides them")
	}
	if l.Sizes != nil {
		warnings = append(warnings, "model.layout.sizes: no layer was measured: "+
			"steps are computed from sizes by numbers fitted to A100 nodes with NVLink and 100 GB/s between nodes, "+
			"6 % off in the mean on one node and 7 % on many; memory is by arithmetic")
		for _, what := range l.opened.beyond {
			warnings = append(warnings, "model.layout.sizes: "+what+": beyond what the numbers were fitted to")
		}
	}
	if l.Recovery.RestartS == nil {
		warnings = append(warnings, "model.layout.recovery.restart_s is absent: a restart takes no time "+
			"(restart_s: 0 confirms it)")
	}
	return warnings
}

// network names what is trained.
func (l *Layout) network() string {
	if l.Sizes != nil {
		return "these sizes"
	}
	return l.Network
}

// largestSet is as many instances of each type as the quotas allow, and the model on them.
type largestSet struct {
	model *layout.Training
	types []string
	held  []int32
}

// largest returns the largest set; nil where its model cannot be made, which is said where models are made.
func (l *Layout) largest(s model.Study) *largestSet {
	var set largestSet
	var pools []sim.Pool
	for _, quota := range s.TypeQuotas() {
		pool := sim.Pool{InstanceType: quota.Type}
		if l.Links == nil {
			pool.Zone = s.Pools()[0].Zone // as zones know each other
		}
		pools = append(pools, pool)
		set.types = append(set.types, quota.Type)
		set.held = append(set.held, int32(quota.Instances))
	}
	var err error
	if set.model, err = l.on(s, pools); err != nil {
		return nil
	}
	return &set
}

// trains reports whether some layout of so many instances fits.
func (s *largestSet) trains(held []int32) bool {
	return s.model.Rate(&sim.Layout{Workers: held}).Progress > 0
}

// fewestAlone returns the fewest instances of a type that train without others, at most so many; more than these if
// none do.
func (s *largestSet) fewestAlone(i, most int) int {
	alone := make([]int32, len(s.types))
	fewest := 1
	for fewest <= most {
		alone[i] = int32(fewest)
		if s.trains(alone) {
			break
		}
		fewest++
	}
	return fewest
}

// warnExposed says where the best layout of all that the quotas allow depends on how much of the transfers the training
// program hides, which was measured on two kinds of GPU only.
func (l *Layout) warnExposed(s model.Study) []string {
	if l.Sizes != nil {
		return nil // measured on the only GPU type that there is
	}
	set := l.largest(s)
	if set == nil {
		return nil
	}
	chosen, err := set.model.ByExposed(set.held)
	if err != nil || len(chosen) < 2 {
		return nil // no layout is said elsewhere
	}
	low, high := layout.ExposedRange()
	var parts []string
	for _, best := range chosen {
		parts = append(parts, fmt.Sprintf("from %.3g to %.3g %s (%.3g s a step at %.3g, %.3g s at %.3g)",
			best.From, best.To, best.Layout.String(), best.AtFrom.Step, low, best.AtTo.Step, high))
	}
	runtime := l.opened.runtime
	return []string{fmt.Sprintf("model.layout: the best layout of all that the quotas allow depends on the factor of "+
		"transfers, exposed: %.3g was measured on consumer GPUs, %.3g on GH200, runtime %s has %.3g: %s",
		low, high, runtime.Name, runtime.Exposed, strings.Join(parts, "; "))}
}

// maxFits is the most instances of a type that are tried to say what would fit.
const maxFits = 256

// warnMemory says where no set that can be held has a layout that fits, what would, and which types never train without
// others.
func (l *Layout) warnMemory(s model.Study) []string {
	set := l.largest(s)
	if set == nil {
		return nil
	}
	if set.trains(set.held) {
		return l.warnTypes(set)
	}
	var fits []string
	for i, name := range set.types {
		if fewest := set.fewestAlone(i, maxFits); fewest <= maxFits {
			fits = append(fits, fmt.Sprintf("%d %s", fewest, name))
		}
	}
	if fits == nil {
		return []string{fmt.Sprintf("no layout of %s fits on what the quotas allow, nor on up to %d instances of one "+
			"of its types: the job never trains", l.network(), maxFits)}
	}
	return []string{fmt.Sprintf("no layout of %s fits on what the quotas allow: the job never trains; "+
		"what would fit: %s", l.network(), strings.Join(fits, ", or "))}
}

// warnTypes says which types never train without others.
func (l *Layout) warnTypes(set *largestSet) (warnings []string) {
	if len(set.types) == 1 {
		return nil
	}
	for i, name := range set.types {
		held := int(set.held[i])
		if set.fewestAlone(i, min(held, maxFits)) > held {
			warnings = append(warnings, fmt.Sprintf("no layout of %s fits on up to %d %s alone: "+
				"they train together with other types only", l.network(), held, name))
		}
	}
	return warnings
}
