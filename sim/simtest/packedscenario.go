package simtest

import (
	"github.com/marigram/marigram/sim"
)

// packed is what a scenario says of shared instances.
type packed struct {
	hosts   []string // by number, in the order of rent
	keeps   map[[2]string]float64
	sharing sim.Sharing
}

// needs gives a job what it says of its tasks.
func (g *Gang) needs(o option) {
	if o.has("need") {
		g.Need = resources(o["need"])
	}
	g.Took = sim.TaskTimes{Launch: o.span("launch"), Build: o.span("build"), Init: o.span("init"), Stop: o.span("stop"), Save: o.span("upload")}
	g.Took.Image, g.Alike = int(o.number("kind", 0)), int(o.number("kind", 0))
}

// statement reads a line about hosts, and reports whether it is one.
func (x *packed) statement(s *ClusterScenario, words []string, opts option) bool {
	host := func(name string) int {
		for k, known := range x.hosts {
			if known == name {
				return k
			}
		}
		panic("no such host: " + name)
	}
	switch words[0] {
	case "rent":
		x.hosts = append(x.hosts, words[1])
		s.table = append(s.table, clusterStep{what: "rent", at: opts.span("at"), pool: s.pool(words[2]), n: len(x.hosts) - 1})
	case "return":
		s.table = append(s.table, clusterStep{what: "return", at: opts.span("at"), n: host(words[1])})
	case "assign":
		j := s.job(words[1])
		if words[2] == "all" {
			for k := range s.jobs[j].Model.(Gang).GPUs {
				s.table = append(s.table, clusterStep{"assign", opts.span("at"), j, k, host(words[3])})
			}
		} else {
			s.table = append(s.table, clusterStep{"assign", opts.span("at"), j, int(number(words[2])), host(words[3])})
		}
	case "keeps":
		if x.keeps == nil {
			x.keeps = map[[2]string]float64{}
			x.sharing.Keeps = func(_ *sim.Pool, of, beside *sim.Job) float64 {
				if v, known := x.keeps[[2]string{of.Name, beside.Name}]; known {
					return v
				}
				return 1
			}
		}
		x.keeps[[2]string{words[1], words[2]}] = number(words[3])
	case "sharing":
		x.sharing.Leave, x.sharing.Return = opts.span("leave"), opts.span("return")
	default:
		return false
	}
	return true
}

// hostTable places tasks and follows the lines of a scenario.
type hostTable struct{ timeTable }

// Traits says what the policy is.
func (hostTable) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByTasks}
}

// hostSteps is what a hostTable remembers: which steps are done, and the number of each host.
type hostSteps struct {
	done []bool
	ids  map[int]int
}

// NewState implements sim.Stateful.
func (t hostTable) NewState(_, _ any) any {
	return &hostSteps{make([]bool, len(t.steps)), map[int]int{}}
}

// Decide implements sim.Policy.
func (t hostTable) Decide(v sim.View, plan *sim.Plan) {
	x, elapsed := v.State().(*hostSteps), v.Now().Sub(v.Start())
	for i, s := range t.steps {
		switch {
		case x.done[i]:
			continue
		case s.at > elapsed:
			plan.WakeIn(s.at - elapsed)
			continue
		case s.what != "rent" && s.what != "return" && !v.Job(s.job).Active():
			continue
		}
		x.done[i] = true
		switch s.what {
		case "rent":
			x.ids[s.n] = plan.Rent(s.pool)
		case "return":
			plan.Return(x.ids[s.n])
		case "assign":
			plan.Assign(s.job, s.pool, x.ids[s.n])
		case "stop":
			plan.Stop(s.job)
		case "save":
			plan.Job(s.job).Save = true
		}
	}
}
