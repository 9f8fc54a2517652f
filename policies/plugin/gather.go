package plugin

import (
	"math"
	"time"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// instant returns an instant in seconds, nil for Never.
func instant(t sim.Time) *float64 {
	if t == sim.Never {
		return nil
	}
	return stats.FiniteOrNil(t.Seconds())
}

// pools describes the pools of a view.
func pools(v sim.View) []message.Pool {
	out := make([]message.Pool, v.Pools())
	for i := range out {
		out[i] = pool(v.Pool(i))
	}
	return out
}

func pool(p *sim.Pool) message.Pool {
	return message.Pool{
		Name:          p.Name,
		Cloud:         p.Cloud,
		Region:        p.Region,
		Zone:          p.Zone,
		Type:          p.InstanceType,
		GPU:           p.GPU,
		GPUs:          p.GPUs,
		OnDemand:      p.OnDemand,
		OnDemandPrice: p.OnDemandPrice,
		Quota:         p.Quota,
		NoticeS:       p.Notice.Seconds(),
		BootMedianS:   p.Boot.Median.Seconds(),
		BootSigma:     p.Boot.Sigma,
	}
}

// gather writes what a policy sees.
func gather(m *message.View, v sim.View, recorded bool) {
	m.Type = "decide"
	m.NowS = v.Now().Seconds()
	m.Trigger = v.Trigger().String()
	m.Recorded = recorded
	bill := v.Bill()
	m.USD = bill.Total()
	m.Prices = m.Prices[:0]
	for p := range v.Pools() {
		m.Prices = append(m.Prices, v.Price(p))
	}
	active := v.ActiveJobs()
	for len(m.Jobs) < len(active) {
		m.Jobs = append(m.Jobs, message.Job{})
	}
	m.Jobs = m.Jobs[:len(active)]
	for i, j := range active {
		gatherJob(&m.Jobs[i], v, j)
	}
}

func gatherJob(m *message.Job, v sim.View, j int) {
	job := v.Job(j)
	goal := job.Objective()
	layout := job.Layout()
	if m.Held == nil {
		m.Held = []message.Held{} // not null, for those that read it
	}
	*m = message.Job{
		Job:       j,
		DeadlineS: job.Deadline().Seconds(),
		WithinS:   goal.Within.Seconds(),
		GoalLoss:  goal.Loss,
		Begun:     job.Begun(),
		Training:  job.Training(),
		Safe:      job.Safe(),
		Done:      job.Done(),
		Loss:      stats.FiniteOrNil(job.Loss()),
		SavedLoss: stats.FiniteOrNil(job.SavedLoss()),
		Speed:     job.Speed(),
		LaidS:     job.LaidAt().Seconds(),
		SavedS:    job.LastSave().Seconds(),
		ResumedS:  job.Resumed().Seconds(),
		PausedS:   instant(job.Paused()),
		LeavingS:  instant(job.Leaving()),
		SaveS:     job.SaveTime().Seconds(),
		PersistS:  job.PersistTime().Seconds(),
		Losses:    job.Losses(),
		Servers:   job.Servers(),
		Pipelines: int(layout.Pipelines),
		Stages:    int(layout.Stages),
		Held:      m.Held[:0],
	}
	for p := range v.Pools() {
		held := v.Held(j, p)
		if held.Want+held.Waiting+held.Starting+held.Ready+held.Noticed == 0 {
			continue
		}
		m.Held = append(m.Held, message.Held{
			Pool:          p,
			Want:          held.Want,
			Waiting:       held.Waiting,
			Starting:      held.Starting,
			Ready:         held.Ready,
			Noticed:       held.Noticed,
			WaitingSinceS: instant(held.WaitingSince),
		})
	}
}

// span returns seconds as a span of whole microseconds.
func span(s float64) time.Duration { return time.Duration(math.Round(s*1e6)) * time.Microsecond }

// What follows is for those who ask in the place of being asked (package gym).

// Gather writes what a policy sees.
func Gather(m *message.View, v sim.View) { gather(m, v, false) }

// Pools describes pools.
func Pools(all []sim.Pool) []message.Pool {
	out := make([]message.Pool, len(all))
	for i := range all {
		out[i] = pool(&all[i])
	}
	return out
}

// Answerer answers questions by what policies may see. It is for one goroutine; the zero value is ready.
type Answerer struct{ answers policyutil.Answerer }

// Answer answers one question, validly until the next; what is not in the view is answered with nothing.
func (a *Answerer) Answer(v sim.View, q *message.Ask) message.Answer {
	if q.Pool != nil && q.Job >= 0 && q.Job < v.Jobs() {
		return message.Answer{Type: "answer", Pool: answerPool(v, q)}
	}
	return a.answers.Ask(v, q)
}

// terms says what else is fixed about the pools of a view.
func terms(v sim.View) []message.Terms {
	out := make([]message.Terms, v.Pools())
	for i := range out {
		pool := v.Pool(i)
		terms := &out[i]
		*terms = message.Terms{
			Above:         append([]string{}, pool.Above...),
			Reserved:      pool.Reserved,
			NoticeMissing: pool.NoticeMissing,
			Victim:        pool.Victim.String(),
			WaitS:         pool.Wait.Seconds(),
			WaitSigma:     pool.WaitSigma,
			LengthS:       pool.Length.Seconds(),
		}
		if pool.Until > 0 {
			terms.UntilS = instant(pool.Until)
		}
		if billed := pool.Granularity; billed != nil {
			terms.IncrementS = new(billed.Increment.Seconds())
			terms.MinimumS = new(billed.Minimum.Seconds())
		}
	}
	return out
}

func limits(v sim.View) (out []message.Limit) {
	for _, l := range v.Limits() {
		out = append(out, message.Limit(l))
	}
	return out
}

// names are those of the jobs.
func names(v sim.View) (out []string) {
	for j := range v.Jobs() {
		out = append(out, v.Job(j).Name())
	}
	return out
}

// mostBeforeS is a time before a run in seconds, a hundred years, that stands for all longer ones.
const mostBeforeS = 100 * 365.25 * 24 * 3600

// answerPool answers a question about a pool; nil if it names what is not in the view, the future, or a time before the
// run that is below 0.
func answerPool(v sim.View, q *message.Ask) *message.PoolAnswer {
	p := *q.Pool
	now := v.Now()
	if p < 0 || p >= v.Pools() || q.From != nil && (*q.From < 0 || *q.From >= v.Pools()) {
		return nil
	}
	if q.AtS != nil {
		if !(*q.AtS >= 0 && *q.AtS <= now.Seconds()) {
			return nil
		}
		now = min(sim.Time(0).Add(span(*q.AtS)), now)
	}
	seen := v.Seen(p)
	if q.BeforeS != nil {
		if !(*q.BeforeS >= 0) {
			return nil
		}
		seen = v.SeenBefore(p, span(min(*q.BeforeS, mostBeforeS)))
	}
	job := v.Job(q.Job)
	out := &message.PoolAnswer{
		Price:    v.PriceAt(p, now),
		RefusedS: instant(seen.RefusedAt),
		TakenS:   instant(seen.TakenAt),
		Removals: seen.Removals,
		Arrivals: seen.Arrivals,
		Grants:   seen.Grants,
		HeldS:    seen.Held.Seconds(),
		WaitedS:  seen.Waited.Seconds(),
		Occupied: seen.Occupied.Seconds(),
		HasState: job.StateIn(p),
		LeavingS: []float64{},
	}
	if q.From != nil {
		move := job.Move(*q.From, p)
		out.MoveUSD = move.USD
		out.MoveS = move.Time.Seconds()
	}
	for _, leaves := range v.Leaving(p, nil) {
		out.LeavingS = append(out.LeavingS, leaves.Seconds())
	}
	return out
}
