package schedulers

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// Resize is a number of GPUs that a job is to have.
type Resize struct {
	After time.Duration // its submission
	GPUs  int
}

// numberOf and jobOf say under which number a job is in the cluster of Kueue; the next number is its slice.
func numberOf(j int) int   { return 2 * j }
func jobOf(number int) int { return number / 2 }

// comingResizes notes when a job is to be resized, and returns how many GPUs it asks for now, and whether it ever is.
func (s *kueueState) comingResizes(v sim.View, j int, claim *QuotaClaim, asks int) (gpus int, resized bool) {
	list := claim.Quotas.Resizes[v.Job(j).Name()]
	_, most := sim.RangeOf(gang(v, j))
	if len(list) == 0 {
		if most > asks && s.larger == "" {
			s.larger = v.Job(j).Name()
		}
		return asks, false
	}
	s.resized++
	for i, x := range list {
		at := v.Job(j).Submitted().Add(x.After)
		if at <= v.Now() {
			asks = x.GPUs
			continue
		}
		s.resizes.push(limit{at: at, job: j, stamp: i})
	}
	return asks, true
}

// forgetResizes drops what was to come of a job.
func (s *kueueState) forgetResizes(j int) {
	coming := s.resizes
	s.resizes = s.resizes[:0]
	for _, x := range coming {
		if x.job != j {
			s.resizes.push(x)
		}
	}
}

// resizeDue asks for what users set by now, and reports whether there was anything.
func (k *Kueue) resizeDue(v sim.View, plan *sim.Plan, s *kueueState) (resized bool) {
	for len(s.resizes) > 0 && s.resizes[0].at <= v.Now() {
		next := s.resizes.pop()
		claim := v.Job(next.job).Claim().(*QuotaClaim)
		gpus := claim.Quotas.Resizes[v.Job(next.job).Name()][next.stamp].GPUs
		mustKueue(v.Now(), s.resize(v, plan, next.job, claim, gpus))
		resized = true
	}
	return resized
}

// resize has a job ask for a number of GPUs. Fewer it has at once, more when the cluster says so.
func (s *kueueState) resize(v sim.View, plan *sim.Plan, j int, claim *QuotaClaim, gpus int) error {
	if least, most := sim.RangeOf(gang(v, j)); gpus < least || gpus > most {
		return fmt.Errorf("job %s is to have %d GPUs (jobs.kueue_resizes), expected its min_gpus to max_gpus, %d to %d",
			v.Job(j).Name(), gpus, least, most)
	}
	job := s.describe(v, j, claim, gpus)
	job.PodSets[0].Min = 0
	if _, err := s.cluster.Resize(numberOf(j), numberOf(j)+1, job, int64(v.Now().Seconds())); err != nil {
		return err
	}
	if held := plan.Held(j); held > 0 {
		s.gpus.shrink(plan, j, held-min(held, int(s.cluster.Pods(numberOf(j), 0))))
	}
	return nil
}

// grow gives a job that runs n GPUs more, of its own servers first, and reports whether they were free.
func (g *gpus) grow(plan *sim.Plan, j, n int) bool {
	cluster := &g.parts[g.partOf[j]]
	if n > cluster.free {
		return false
	}
	more := func(p int) {
		taken := min(n, g.free[p])
		if taken == 0 {
			return
		}
		plan.Place(j, p, plan.Hold(j, p)+taken)
		g.add(p, -taken)
		n -= taken
		if g.spot.is[p] {
			plan.AskAgain()
		}
	}
	for _, part := range copyParts(plan, j, nil) {
		if cluster.on[part.Pool] {
			more(int(part.Pool))
		}
	}
	for n > 0 {
		more(cluster.first(1))
	}
	return true
}

// shrink takes n GPUs of a job, of its last servers first.
func (g *gpus) shrink(plan *sim.Plan, j, n int) {
	parts := copyParts(plan, j, nil)
	for i := len(parts) - 1; i >= 0 && n > 0; i-- {
		p := int(parts[i].Pool)
		taken := min(n, int(parts[i].N))
		plan.Place(j, p, int(parts[i].N)-taken)
		g.add(p, taken)
		n -= taken
	}
}
