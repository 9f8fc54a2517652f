package claims

import (
	"github.com/marigram/marigram/experiments/claims/reference"
	"github.com/marigram/marigram/traces"
)

// notPulled is the error of a figure whose recorded history is not in the cache:
// its claims are then open.
type notPulled struct{ error }

// pulledSet reads a pulled set.
func pulledSet(name string) (*traces.Set, error) {
	dir, err := traces.PulledDir(name)
	if err != nil {
		return nil, notPulled{err}
	}
	return traces.Read(dir)
}

// nodesOf returns the machines of a set of one pool as the replays read them, in
// the order of the source.
func nodesOf(s *traces.Set) []reference.NodeEvent {
	ids := map[string]int32{}
	var out []reference.NodeEvent
	for _, r := range s.InstanceEvents {
		add := r.Kind == traces.KindRunning
		if add {
			ids[r.InstanceID] = int32(len(out)) // names are used again
		}
		out = append(out, reference.NodeEvent{At: (r.T - s.InstanceEvents[0].T) / 1000, Node: ids[r.InstanceID], Add: add})
	}
	return out
}

// availability returns row by row of a zone's source whether there was capacity.
func availability(s *traces.Set, zone string) []bool {
	var out []bool
	for _, r := range s.Capacity {
		if s.Pools[r.PoolID].Zone != zone {
			continue
		}
		const header = 1
		for row := int(r.SrcRow) - 1 - header; len(out) < row; {
			out = append(out, out[len(out)-1]) // as in the row before
		}
		out = append(out, r.Available > 0)
	}
	return out
}
