package pipeline

// regroup returns the ms to rebuild the groups of a layout in place, without
// a restart.
func (m *Parcae) regroup(pipelines, stages int) float64 {
	return m.groups(pipelines, stages, false) + m.Restart.Process
}

func (m *Parcae) groups(pipelines, stages int, join bool) float64 {
	d := float64(pipelines)
	p := float64(stages)
	change := 1
	if join {
		change = 0
	}
	cost := m.Restart.Regroup
	for i := len(m.Restart.Groups) - 1; i >= 0; i-- {
		group := &m.Restart.Groups[i]
		if pipelines >= group.MinPipelines {
			return cost + group.Fixed[change] + float64(group.PerGroup[change]*(d+p+1+d*p)) +
				float64(group.PerInstance[change]*d*p)
		}
	}
	return cost
}

// RestartTime returns the ms to start a layout; join: with instances that were
// not in the job before.
func (m *Parcae) RestartTime(pipelines, stages int, join bool) float64 {
	restart := &m.Restart
	cost := m.groups(pipelines, stages, join) + restart.Process + restart.Build(stages)
	if join {
		cost += restart.Rendezvous + restart.Joining
	}
	return cost
}

// Arrive returns the ms that a migration to another depth takes whichever instances
// survive: a restart, and stages sent to the other pipelines.
func (m *Parcae) Arrive(pipelines, stages int, join bool) float64 {
	cost := m.RestartTime(pipelines, stages, join)
	if pipelines > 1 {
		cost += m.plans[stages].broadcast
	}
	return cost
}

// Reload returns the ms of a restart from a checkpoint, which sends the state of
// all stages; first: there is nothing to save and read back.
func (m *Parcae) Reload(pipelines, stages int, join, first bool) float64 {
	cost := m.RestartTime(pipelines, stages, join)
	if !first {
		cost += m.Restart.Save
	}
	for _, ms := range m.plans[stages].transfers {
		cost += ms
	}
	return cost
}
