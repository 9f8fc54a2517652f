package oobleck

import (
	"errors"
	"github.com/marigram/marigram/papers/internal/nodes"
	varunaref "github.com/marigram/marigram/papers/varuna/reference"

	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/papers/oobleck/reference"
	"github.com/marigram/marigram/traces"
)

// fig10 reports the throughput of Oobleck and Varuna on a pulled trace
// and their ratio.
func fig10(f *papers.Figure) error {
	var in struct {
		Set   string `json:"set"`
		Model string `json:"model"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	set, err := papers.PulledSet(in.Set)
	if err != nil {
		return err
	}
	a, errA := world.OobleckTable("oobleck", in.Model)
	b, errB := world.OobleckTable("varuna", in.Model)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	var oobleck reference.Simulator
	var varuna varunaref.Simulator
	events := nodesOf(set)
	x := oobleck.Replay(reference.OfTable(a), events).Throughput
	y := varuna.Replay(varunaref.OfTable(b), events).Throughput
	f.Report("oobleck", x)
	f.Report("varuna", y)
	f.Report("ratio", x/y)
	return nil
}

// nodesOf returns the machines of a set of one pool as the replays read them, in
// the order of the source.
func nodesOf(s *traces.Set) []nodes.Change {
	ids := map[string]int32{}
	var out []nodes.Change
	for _, r := range s.InstanceEvents {
		add := r.Kind == traces.KindRunning
		if add {
			ids[r.InstanceID] = int32(len(out)) // names are used again
		}
		out = append(out, nodes.Change{At: (r.T - s.InstanceEvents[0].T) / 1000, Node: ids[r.InstanceID], Add: add})
	}
	return out
}
