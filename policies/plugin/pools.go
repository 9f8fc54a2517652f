package plugin

import (
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/sim"
)

// terms says what else is fixed about the pools of a view.
func terms(v sim.View) []message.Terms {
	out := make([]message.Terms, v.Pools())
	for i := range out {
		p, t := v.Pool(i), &out[i]
		*t = message.Terms{Above: append([]string{}, p.Above...), Reserved: p.Reserved, NoticeMissing: p.NoticeMissing, Victim: p.Victim.String(),
			WaitS: p.Wait.Seconds(), WaitSigma: p.WaitSigma, LengthS: p.Length.Seconds()}
		if p.Until > 0 {
			t.UntilS = instant(p.Until)
		}
		if g := p.Granularity; g != nil {
			increment, minimum := g.Increment.Seconds(), g.Minimum.Seconds()
			t.IncrementS, t.MinimumS = &increment, &minimum
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

// answerPool answers a question about a pool; nil if it names what is not in the view, or the future.
func answerPool(v sim.View, q *message.Ask) *message.PoolAnswer {
	p, now := *q.Pool, v.Now()
	if p < 0 || p >= v.Pools() || q.From != nil && (*q.From < 0 || *q.From >= v.Pools()) {
		return nil
	}
	if q.AtS != nil {
		if !(*q.AtS >= 0 && *q.AtS <= now.Seconds()) {
			return nil
		}
		now = min(sim.Time(0).Add(span(*q.AtS)), now)
	}
	seen, job := v.Seen(p), v.Job(q.Job)
	out := &message.PoolAnswer{Price: v.PriceAt(p, now), RefusedS: instant(seen.RefusedAt), TakenS: instant(seen.TakenAt), Removals: seen.Removals,
		Arrivals: seen.Arrivals, Grants: seen.Grants, HeldS: seen.Held.Seconds(), WaitedS: seen.Waited.Seconds(), HasState: job.StateIn(p),
		LeavingS: []float64{}}
	if q.From != nil {
		move := job.Move(*q.From, p)
		out.MoveUSD, out.MoveS = move.USD, move.Time.Seconds()
	}
	for _, t := range v.Leaving(p, nil) {
		out.LeavingS = append(out.LeavingS, t.Seconds())
	}
	return out
}
