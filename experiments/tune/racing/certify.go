package racing

// Attempt is one to prove a setting's share on blocks that chose nothing.
type Attempt struct {
	Setting int
	USD     []float64 // by block
	Met     int
	End     string // Proven, or the reason why the setting cannot win; empty: under way

	looks []int
}

// Proven is the end of an attempt whose setting meets the objective in the share of runs
// that was asked for.
const Proven = "proven"

// mostUnproven is the number of settings whose share neither could be proven nor disproven
// after which a race ends: more would take as many runs as all settings on all blocks.
const mostUnproven = 3

// Share returns the share of the blocks on which the objective was met.
func (a *Attempt) Share() float64 { return float64(a.Met) / float64(len(a.USD)) }

// attempt begins one.
func (r *Race) attempt(setting int) {
	j := len(r.attempts) + 1
	least := leastProof(r.Share, r.proofLevel(j, 1))
	r.attempts = append(r.attempts, Attempt{Setting: setting, looks: looksTo(max(least, firstLook), r.Fresh)})
	r.current = &r.attempts[j-1]
}

func (r *Race) addFresh(q *Request, outcomes []Outcome) {
	a := r.current
	if a == nil || q.Setting != a.Setting || q.From != len(a.USD) {
		panic("racing: Add: not the next blocks of the attempt")
	}
	for _, x := range outcomes {
		a.USD = append(a.USD, x.USD)
		if x.Met {
			a.Met++
		}
		if x.Failed {
			r.rows[a.Setting].out = RunFailed
		}
	}
}

// certify returns what has to be run before more can be said of the attempt.
func (r *Race) certify() []Request {
	a, n := r.current, len(r.current.USD)
	k := number(a.looks, n, 0)
	switch out := r.rows[a.Setting].out; {
	case out == RunFailed:
		r.giveUp(out)
	case n > 0 && lowerShare(a.Met, n, r.proofLevel(len(r.attempts), k)) >= r.Share:
		a.End = Proven
		r.finish()
	case n > 0 && upperShare(a.Met, n, r.disproofLevel(k)) < r.Share:
		r.giveUp(TooRarely)
	case n == r.Fresh:
		r.giveUp(Unproven)
	default:
		return []Request{{a.Setting, len(r.attempts), n, after(a.looks, n, r.Fresh)}}
	}
	return nil
}

// giveUp ends the attempt: the race goes on without its setting.
func (r *Race) giveUp(why Reason) {
	r.current.End, r.rows[r.current.Setting].out = string(why), why
	r.current = nil
	if why == Unproven {
		if r.unproven++; r.unproven == mostUnproven {
			r.finish()
		}
	}
}
