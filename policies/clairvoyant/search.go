package clairvoyant

import "github.com/marigram/marigram/sim"

// search keeps the cheapest met schedule of a run.
type search struct {
	world  sim.World
	player player
	config sim.Config
	best   schedule
	usd    float64
}

// attempt is a schedule that was judged.
type attempt struct {
	schedule schedule
	met      bool
}

// judge simulates a schedule and reports whether it meets the objective.
func (s *search) judge(x schedule) (bool, error) {
	s.player.schedule = x
	s.config.Policy = &s.player
	if err := s.world.Reset(s.config); err != nil {
		return false, err
	}
	total := s.world.Run()
	j, usd := &total.Jobs[0], total.Bill.Total()
	met := j.Finished && j.Elapsed <= s.config.Jobs[0].Objective.Within
	if met && usd < s.usd {
		s.best, s.usd = x, usd
	}
	return met, nil
}

// factors are how many times Lambda a unit of progress may be worth.
var factors = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.03, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4}
