package sim

// Candidate is an answer that a policy weighed up, for recorders.
type Candidate struct {
	Name   string  // a cluster, a layout or an action, in words
	Score  float64 // what it was judged by; any number
	Unit   string  // of the score
	Note   string  // what else speaks for it or against it; may be empty
	Chosen bool
}

// Input is a number that a policy reckoned with beside what its View shows.
type Input struct {
	Name  string
	Value float64
	Unit  string // empty for a count or a share
}

// Recorded reports whether a recorder listens: only then is it worth while to put
// candidates into words.
func (p *Plan) Recorded() bool { return p.recorded }

// AddInput notes a number that the decision rests on. Without a recorder it does
// nothing.
func (p *Plan) AddInput(name string, value float64, unit string) {
	if p.recorded {
		p.inputs = append(p.inputs, Input{name, value, unit})
	}
}

// AddCandidate notes a candidate, in the order in which they are to be shown. Without
// a recorder it does nothing.
func (p *Plan) AddCandidate(c Candidate) {
	if p.recorded {
		p.candidates = append(p.candidates, c)
	}
}

// Choose marks the last candidate of that name as the one taken, if there is one.
func (p *Plan) Choose(name string) {
	for i := len(p.candidates) - 1; i >= 0; i-- {
		if p.candidates[i].Name == name {
			p.candidates[i].Chosen = true
			return
		}
	}
}

// Inputs returns the inputs of the decision, until the next one.
func (p *Plan) Inputs() []Input { return p.inputs }

// Candidates returns the candidates of the decision, until the next one.
func (p *Plan) Candidates() []Candidate { return p.candidates }

// reset makes the plan ready for a decision.
func (p *Plan) reset(now Time) {
	p.now, p.wake, p.again, p.why = now, Never, false, ""
	if p.recorded {
		p.inputs, p.candidates = p.inputs[:0], p.candidates[:0]
	}
}

// Reason returns the reason that the policy gave, for recorders.
func (p *Plan) Reason() string { return p.why }
