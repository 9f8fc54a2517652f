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
	Instances  int           `set:"instances" min:"0" max:"4096" doc:"instances on which the job trains, all at once; 0 takes the least with which it may wait for spot and be in time, or at least be in time"`
	Changeover time.Duration `set:"changeover_s" min:"0" max:"86400" doc:"time that the rule reckons with whenever another machine takes over"`
	Poll       time.Duration `set:"poll_s" min:"1" max:"86400" doc:"between decisions; spans are compared in whole ones"`
	Hysteresis float64       `set:"hysteresis" min:"-1" max:"100" doc:"changeovers for which it has to be ahead to leave on demand; below 0 leaves whenever there is spot"`

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
