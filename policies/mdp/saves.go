package mdp

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// minSaveInterval keeps saves that take little time from being made all the time, seconds.
const minSaveInterval = 60

// saveInterval returns Young's interval between saves by the losses that are believed of the spot pool that changes
// most often, those left out that are announced early enough for a save: of all pools, or only of those that training
// is on. The interval of others is that of one loss a day until losses are seen, and with the first one all that was
// not saved is gone. It is the longest that there is where no loss takes anything back, and where the model has an
// interval.
func (p *planner) saveInterval(trainedOn bool) time.Duration {
	if !p.loss.Rollback || p.job.SaveTime() == 0 || policyutil.IntervalOf(p.job) > 0 {
		return math.MaxInt64
	}
	losses := 0.0 // times an hour
	for k := range p.pools {
		pool := &p.pools[k]
		if !pool.spot || p.full[k] == 0 {
			continue
		}
		held := p.view.Held(p.index, k)
		if trainedOn && held.Ready+held.Noticed == 0 {
			continue
		}
		facts := p.view.Pool(k)
		unannounced := facts.NoticeMissing
		if facts.Notice < p.job.SaveTime()+p.job.PersistTime() {
			unannounced = 1
		}
		losses = max(losses, unannounced*pool.lossRate)
	}
	if losses == 0 {
		return math.MaxInt64
	}
	seconds := policyutil.Young(p.job.SaveTime().Seconds(), 3600/losses)
	return time.Duration(max(seconds, minSaveInterval) * 1e9)
}

// saveEarly asks for a save at once where some of what trains is under notice and other instances start: each that is
// ready before the others are gone stops training, and so a save that was left to the last moment.
func (p *planner) saveEarly(plan *sim.Plan) {
	leaves := p.job.Leaving()
	now := p.view.Now()
	takes := p.job.SaveTime() + p.job.PersistTime()
	if leaves == sim.Never || !p.loss.Rollback || p.frontier.Elastic() || !p.job.Training() || !p.job.Safe() {
		return
	}
	if now.Add(takes) >= leaves || now.Sub(p.job.LastSave()) <= 2*takes+time.Minute {
		return
	}
	p.instances = p.job.Instances(p.instances[:0])
	for _, instance := range p.instances {
		if !instance.Ready {
			plan.Jobs[p.index].Save = true
			return
		}
	}
}

// saveForPromise asks for a save shortly before the safe form would request on demand: what is not saved counts there as
// lost, and once it is saved there is time again.
func (p *planner) saveForPromise(plan *sim.Plan) {
	takes := p.job.SaveTime() + p.job.PersistTime()
	if !p.loss.Rollback || takes == 0 || !p.job.Training() || !p.job.Safe() {
		return
	}
	if p.view.Now().Sub(p.job.LastSave()) <= apartAtLeast(takes) {
		return
	}
	spare := time.Duration(p.set.net.Spare(p.index)*1e9) - takes - saveAhead
	if spare > 0 {
		plan.WakeIn(spare)
		return
	}
	plan.Jobs[p.index].Save = true
}

// saveAhead is how long before the last instant such a save is asked for.
const saveAhead = 10 * time.Second

// apartAtLeast returns for how long no other save is asked for.
func apartAtLeast(takes time.Duration) time.Duration { return 2*takes + time.Minute }
