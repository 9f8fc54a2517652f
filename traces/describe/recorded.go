package describe

import (
	"github.com/marigram/marigram/traces"
)

// RecordedLifetimes returns the Kaplan-Meier estimate of the lifetimes (see Lifetimes)
// of the machines of pools of a set; no pools means all. Machines that came with the
// first record are taken as new then. An error if no machine was lost.
func RecordedLifetimes(s *traces.Set, pools ...int) (LifetimeDistribution, error) {
	all, _ := Lifetimes(s)
	of := s.Manifest.TraceID
	if len(pools) > 0 {
		byPool := make([][]Lifetime, len(s.Pools))
		for _, l := range all {
			byPool[l.Pool] = append(byPool[l.Pool], l)
		}
		all = nil
		for _, p := range pools {
			all = append(all, byPool[p]...)
			of += "/" + s.Pools[p].Name
		}
	}
	v := KaplanMeier(all)
	if err := v.Check(); err != nil {
		return nil, err
	}
	v.Of = of
	return v, nil
}
