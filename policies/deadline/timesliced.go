package deadline

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// TimeSliced divides the time into slices and is greedy in each: by its end its
// share of the work is done (Can't Be Late, NSDI 2024). Work beyond that share is
// done on spot only.
type TimeSliced struct {
	Instances  int           `set:"instances" min:"0" max:"4096" doc:"instances on which the job trains, all at once; 0 takes the smallest number that leaves time to wait for spot, or else that meets the deadline"`
	Changeover time.Duration `set:"changeover_s" min:"0" max:"86400" doc:"time that the rule assumes for each changeover to another machine; 0 derives it from the boots and the model's restart"`
	Poll       time.Duration `set:"poll_s" min:"1" max:"86400" doc:"time between decisions; the rule compares times in multiples of it"`
	Slices     int           `set:"slices" min:"1" max:"10000" doc:"number of slices of the objective time"`

	follower follower
}

// Name implements sim.Policy.
func (*TimeSliced) Name() string { return "time-sliced" }

// Decide implements sim.Policy.
func (p *TimeSliced) Decide(v sim.View, plan *sim.Plan) {
	p.follower.instances, p.follower.changeover, p.follower.poll = p.Instances, p.Changeover, p.Poll
	p.follower.rule, p.follower.parameter = timeSliced, float64(p.Slices)
	p.follower.follow(v, plan)
}
