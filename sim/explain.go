package sim

// Candidate is an option that a policy considered, for recorders.
type Candidate struct {
	Name   string  // a cluster, a layout or an action, in words
	Score  float64 // what options were compared by; any number
	Unit   string  // of the score
	Note   string  // another reason for or against it; may be empty
	Chosen bool
}

// Input is a number that a decision was based on, beside what its View shows.
type Input struct {
	Name  string
	Value float64
	Unit  string // empty for a count or a share
}

// Recorded reports whether there is a recorder: without one, a policy need not
// describe its candidates.
func (p *Plan) Recorded() bool { return p.recorded }

// AddInput records a number that the decision is based on. Without a recorder it
// does nothing.
func (p *Plan) AddInput(name string, value float64, unit string) {
	if p.recorded {
		p.inputs = append(p.inputs, Input{name, value, unit})
	}
}

// AddCandidate records a candidate; they are shown in the order of the calls. Without
// a recorder it does nothing.
func (p *Plan) AddCandidate(c Candidate) {
	if p.recorded {
		p.candidates = append(p.candidates, c)
	}
}

// Choose marks the last candidate of that name as the one chosen, if there is one.
func (p *Plan) Choose(name string) {
	for i := len(p.candidates) - 1; i >= 0; i-- {
		if p.candidates[i].Name == name {
			p.candidates[i].Chosen = true
			return
		}
	}
}

// Inputs returns the inputs of the decision; they are valid until the next one.
func (p *Plan) Inputs() []Input { return p.inputs }

// Candidates returns the candidates of the decision; they are valid until the next one.
func (p *Plan) Candidates() []Candidate { return p.candidates }

// reset makes the plan ready for a decision.
func (p *Plan) reset(now Time) {
	p.now, p.wake, p.again, p.why = now, Never, false, ""
	if p.recorded {
		p.inputs, p.candidates = p.inputs[:0], p.candidates[:0]
	}
}

// Reason returns what the policy gave to SetReason, for recorders.
func (p *Plan) Reason() string { return p.why }
