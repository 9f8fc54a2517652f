package deadline

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// UniformProgress trains on spot whenever there is capacity, and on demand when it
// is behind an even pace (Can't Be Late, NSDI 2024). It leaves on demand for spot
// only when it is ahead of the even pace by some changeovers.
type UniformProgress struct {
	Instances  int           `set:"instances" min:"0" max:"4096" doc:"instances on which the job trains, all at once; 0 takes the smallest number that leaves time to wait for spot, or else that meets the deadline"`
	Changeover time.Duration `set:"changeover_s" min:"0" max:"86400" doc:"time that the rule assumes for each changeover to another machine; 0 derives it from the boots and the model's restart"`
	Poll       time.Duration `set:"poll_s" min:"1" max:"86400" doc:"time between decisions; the rule compares times in multiples of it"`
	Hysteresis float64       `set:"hysteresis" min:"-1" max:"100" doc:"lead, in changeovers, needed to leave on-demand; below 0 leaves whenever spot is available"`

	follower follower
}

// Name implements sim.Policy.
func (*UniformProgress) Name() string { return "uniform-progress" }

// Decide implements sim.Policy.
func (p *UniformProgress) Decide(v sim.View, plan *sim.Plan) {
	p.follower.instances, p.follower.changeover, p.follower.poll = p.Instances, p.Changeover, p.Poll
	p.follower.rule, p.follower.parameter = uniform, p.Hysteresis
	if p.Hysteresis < 0 {
		p.follower.parameter = math.NaN()
	}
	p.follower.follow(v, plan)
}
