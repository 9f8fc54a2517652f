package deadline

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// Greedy trains on spot whenever there is capacity, else waits, and moves to on
// demand when the time left just suffices (Can't Be Late, NSDI 2024).
type Greedy struct {
	Instances  int           `set:"instances" min:"0" max:"4096" doc:"instances on which the job trains, all at once; 0 takes the smallest number that leaves time to wait for spot, or else that meets the deadline"`
	Changeover time.Duration `set:"changeover_s" min:"0" max:"86400" doc:"time that the rule assumes for each changeover to another machine; 0 derives it from the boots and the model's restart"`
	Poll       time.Duration `set:"poll_s" min:"1" max:"86400" doc:"time between decisions; the rule compares times in multiples of it"`

	follower follower
}

// Name implements sim.Policy.
func (*Greedy) Name() string { return "greedy" }

// Decide implements sim.Policy.
func (p *Greedy) Decide(v sim.View, plan *sim.Plan) {
	p.follower.instances, p.follower.changeover, p.follower.poll = p.Instances, p.Changeover, p.Poll
	p.follower.rule, p.follower.parameter = func(s *State, _ float64) Machine { return greedy(s) }, 0
	p.follower.follow(v, plan)
}
