// Package nodes has what public simulators of fleets share: nodes that come and go, and a
// queue of events that keeps the ties of Python's heapq.
package nodes

import (
	"math"
	"strconv"
)

// Change is one node that comes or goes.
type Change struct {
	At   int64 // ms since the beginning
	Node int32 // from 0, used once
	Add  bool  // it comes; else it goes
}

// Timed is a node that will be ready, or the timeout of a rendezvous.
type Timed struct {
	At    int64
	Node  int32
	Local bool
}

// Status is that of the job.
type Status uint8

// The statuses.
const (
	Stopped Status = iota
	Joining
	Running
)

const (
	CreateMs = 45_000        // from coming to ready
	Never    = math.MaxInt64 // an instant that does not come
)

// Parse reads lines of the instant (ms), what happens (add, remove) and the name of the node, as
// the files of the public simulators have them.
func Parse(lines [][]string) ([]Change, error) {
	ids := map[string]int32{}
	var out []Change
	for _, r := range lines {
		ms, err := strconv.ParseInt(r[0], 10, 64)
		if err != nil {
			return nil, err
		}
		if _, known := ids[r[2]]; !known {
			ids[r[2]] = int32(len(ids))
		}
		out = append(out, Change{At: ms, Node: ids[r[2]], Add: r[1] == "add"})
	}
	return out, nil
}
