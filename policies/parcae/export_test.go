package parcae

// Forget forgets plans and forecasts. What migrations cost, which is computed once
// a model, stays.
func (p *Parcae) Forget() {
	for _, r := range p.planners {
		clear(r.known)
	}
	for _, f := range p.forecasts {
		clear(f.known)
	}
	for _, c := range p.chosen {
		clear(c.known)
	}
}
