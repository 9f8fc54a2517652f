package pipeline

import "github.com/marigram/marigram/calibrate/facts"

// RestartCosts are the parts of a restart, in ms; sources in facts/parcae_*.csv.
type RestartCosts struct {
	Rendezvous float64 // when instances join
	Joining    float64 // what else the network needs then
	Process    float64 // to get processes ready; in every migration
	Regroup    float64 // to rebuild groups, beyond what Groups says
	Groups     []GroupCosts
	// Build is the time to build the model, by number of stages.
	Build func(stages int) float64
	// Save is what a checkpoint takes to write and read back; systems without
	// parameter servers pay it.
	Save float64
}

// GroupCosts is the time to rebuild the communication groups from a number of
// pipelines on, in ms: [0] when instances join, [1] when not.
type GroupCosts struct {
	LeastPipelines               int
	Fixed, PerGroup, PerInstance [2]float64 // there are D + P + 1 + DP groups
}

// Constants of the public code (liveput/cost.py, throughput.py), ms.
const (
	parcaeRendezvous = 6600
	parcaeRegroup    = 35
	parcaeSave       = 14000
)

func restartCosts(r *parcaeRow) RestartCosts {
	type build struct {
		Model  string  `col:"model"`
		Stages int     `col:"stages"`
		MS     float64 `col:"ms"`
	}
	builds := map[int]float64{}
	for _, b := range facts.Read[build]("parcae_builds") {
		if b.Model == r.Model {
			builds[b.Stages] = b.MS
		}
	}
	table := parcaeTransfers()
	send := 0.0
	if r.BuildBytes > 0 {
		send = table.Time(r.BuildBytes)
	}
	layer, layers := r.BuildLayer, r.BuildLayers
	return RestartCosts{
		Rendezvous: parcaeRendezvous, Joining: r.Joining, Process: r.Process, Regroup: parcaeRegroup, Save: parcaeSave,
		Groups: groupCosts(r.Model),
		Build: func(stages int) float64 {
			if layers == 0 {
				return builds[stages]
			}
			return layer*float64((layers+stages-1)/stages) + send
		},
	}
}

func groupCosts(model string) []GroupCosts {
	type row struct {
		Model          string  `col:"model"`
		Least          int     `col:"least_pipelines"`
		Add            float64 `col:"add_ms"`
		Remove         float64 `col:"remove_ms"`
		GroupAdd       float64 `col:"group_add_ms"`
		GroupRemove    float64 `col:"group_remove_ms"`
		InstanceAdd    float64 `col:"instance_add_ms"`
		InstanceRemove float64 `col:"instance_remove_ms"`
	}
	var out []GroupCosts
	for _, g := range facts.Read[row]("parcae_groups") {
		if g.Model == model {
			out = append(out, GroupCosts{g.Least, [2]float64{g.Add, g.Remove}, [2]float64{g.GroupAdd, g.GroupRemove}, [2]float64{g.InstanceAdd, g.InstanceRemove}})
		}
	}
	return out
}

// regroup returns the ms to rebuild the groups of a layout in place, without
// a restart.
func (m *Parcae) regroup(pipelines, stages int) float64 {
	return m.groups(pipelines, stages, false) + m.Restart.Process
}

func (m *Parcae) groups(pipelines, stages int, join bool) float64 {
	d, p := float64(pipelines), float64(stages)
	k := 1
	if join {
		k = 0
	}
	cost := m.Restart.Regroup
	for i := len(m.Restart.Groups) - 1; i >= 0; i-- {
		if g := &m.Restart.Groups[i]; pipelines >= g.LeastPipelines {
			return cost + g.Fixed[k] + float64(g.PerGroup[k]*(d+p+1+d*p)) + float64(g.PerInstance[k]*d*p)
		}
	}
	return cost
}

// RestartTime returns the ms to start a layout; join: with instances that were
// not in the job before.
func (m *Parcae) RestartTime(pipelines, stages int, join bool) float64 {
	r := &m.Restart
	cost := m.groups(pipelines, stages, join) + r.Process + r.Build(stages)
	if join {
		cost += r.Rendezvous + r.Joining
	}
	return cost
}

// Arrive returns the ms that a migration to another depth takes whoever
// survives: a restart, and stages sent to the other pipelines.
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
	for _, t := range m.plans[stages].transfers {
		cost += t
	}
	return cost
}
