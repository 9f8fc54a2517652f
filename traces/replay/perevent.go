package replay

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/internal/series"
)

// perEvent returns the machines of a pool, as slots, and how many slots there
// are. A machine takes the lowest slot that is free, and a slot freed at an
// instant is not taken again at that instant, as sim.NewMarket requires.
// Machines there at the beginning of the window come at its beginning.
func (t *Trace) perEvent(pool int, w Window, notice time.Duration) (nodes []sim.NodeEvent, slots int) {
	events := t.series[pool].events
	cutoff := w.cutoff(notice.Microseconds())
	f := fleet{slot: map[string]int{}}
	i := 0
	for there := series.PresentAt(w.From, events); i < len(events) && events[i].T <= w.From; i++ {
		if came, up := there[events[i].InstanceID]; up && came == i {
			f.come(0, events[i].InstanceID)
		}
	}
	for ; i < len(events) && events[i].T < cutoff; i++ {
		at := sim.Time(events[i].T - w.From)
		switch {
		case events[i].Comes():
			f.come(at, events[i].InstanceID)
		case events[i].Goes():
			f.leave(at, events[i].InstanceID)
		}
	}
	return f.out, f.slots
}

// fleet gives machines slots.
type fleet struct {
	slot  map[string]int // machine: its slot
	free  []int          // ascending
	freed []int          // at the instant now
	now   sim.Time
	slots int
	out   []sim.NodeEvent
}

func (f *fleet) advance(at sim.Time) {
	if at == f.now {
		return
	}
	f.free = append(f.free, f.freed...)
	slices.Sort(f.free)
	f.freed = f.freed[:0]
	f.now = at
}

func (f *fleet) come(at sim.Time, machine string) {
	f.advance(at)
	if _, there := f.slot[machine]; there {
		return
	}
	slot := f.slots
	if len(f.free) > 0 {
		slot = f.free[0]
		f.free = f.free[1:]
	} else {
		f.slots++
	}
	f.slot[machine] = slot
	f.out = append(f.out, sim.NodeEvent{At: at, Node: slot, Up: true})
}

func (f *fleet) leave(at sim.Time, machine string) {
	f.advance(at)
	slot, there := f.slot[machine]
	if !there {
		return
	}
	delete(f.slot, machine)
	f.freed = append(f.freed, slot)
	f.out = append(f.out, sim.NodeEvent{At: at, Node: slot})
}
