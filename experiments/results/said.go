package results

// Said is what runs of one policy say of a goal besides whether they meet it: a mean.
type Said struct {
	Name  string  `json:"name"`  // late
	Share bool    `json:"share"` // a share of the runs; else USD
	Mean  float64 `json:"mean"`
}

// SaidOf returns what runs of one objective say of its goal (objective.Kind.Says); nothing of most kinds.
func SaidOf(rows []Summary) []Said {
	var all Saying
	for i := range rows {
		all.Add(&rows[i])
	}
	return all.Means()
}

// Saying adds up what runs of one objective say of its goal.
type Saying struct {
	sums []Said
	runs float64
}

// Add adds a run.
func (s *Saying) Add(run *Summary) {
	says := run.Kind().Says
	if says == nil || run.GoalValue == nil {
		return
	}
	if s.sums == nil {
		for _, said := range says {
			s.sums = append(s.sums, Said{Name: said.Name, Share: said.Share})
		}
	}
	of := run.ofGoal()
	for i, said := range says {
		s.sums[i].Mean += said.Of(*run.GoalValue, of)
	}
	s.runs++
}

// Means returns the means; nil of no runs.
func (s *Saying) Means() []Said {
	var out []Said
	for _, said := range s.sums {
		said.Mean /= s.runs
		out = append(out, said)
	}
	return out
}
