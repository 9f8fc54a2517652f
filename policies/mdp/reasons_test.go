package mdp_test

import (
	"regexp"
	"testing"

	"github.com/marigram/marigram/sim"
)

// reasons records what a policy gave as reasons, and whether what was chosen is one candidate.
type reasons struct {
	t    *testing.T
	said map[string]bool
}

func (*reasons) Span(*sim.Span) {}

func (r *reasons) Decision(v sim.View, plan *sim.Plan, _ bool) {
	r.said[plan.Reason()] = true
	if len(v.ActiveJobs()) == 0 {
		return
	}
	chosen := 0
	for _, candidate := range plan.Candidates() {
		if candidate.Chosen {
			chosen++
		}
	}
	if chosen > 1 {
		r.t.Errorf("%v: %d candidates are marked as chosen: %q", v.Now(), chosen, plan.Reason())
	}
}

// A decision that is taken from the planner says why: that nothing has room, that the limit is reached, with its USD, or
// that on demand has no time left, with seconds.
func TestReasons(t *testing.T) {
	const dollars = `[1-9][0-9.]* USD`
	for _, c := range []struct {
		name, policy, kind string
		law                *law
		times              float64
		want               []string
	}{
		{"spot never comes", "mdp", "dp", &law{name: "never"}, 4, []string{
			`^least expected cost; no spot pool is believed to have room now$`,
			`limit of ` + dollars + `.*: cheapest schedule on demand`,
		}},
		{"spot comes and goes", "mdp", "dp", &law{on: 0.3, off: 0.3}, 1.3, []string{`^least expected cost$`, `limit of ` + dollars}},
		{"short of time", "safe:reactive", "dp", &law{name: "never"}, 4, []string{
			`^the number on demand .* takes up to [1-9][0-9]* of [1-9][0-9]* s: cheapest schedule on demand`}},
		{"slow restarts", "safe:reactive", "slow", &law{on: 1, off: 1}, 1.3, []string{
			`^the limit of ` + dollars + ` does not pay`, `^waiting for spot again may cost more than the limit of ` + dollars}},
	} {
		k := kindNamed(t, c.kind)
		r := &reasons{t: t, said: map[string]bool{}}
		for seed := range uint64(3) {
			config := k.timed(t, c.law, c.times, 71+seed, c.policy)
			config.Recorder = r
			bill(t, config)
		}
		for _, want := range c.want {
			found := false
			for said := range r.said {
				found = found || regexp.MustCompile(want).MatchString(said)
			}
			if !found {
				t.Errorf("%s: no reason is like %q: %v", c.name, want, r.said)
			}
		}
	}
}
