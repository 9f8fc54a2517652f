package experiments

import (
	"github.com/marigram/marigram/policies/plugin"
)

// Batch calls work with a worker on this goroutine and, where plug-in policies can be asked for several runs in one
// message, with more, in turn, up to n: each goes on until a policy is asked. Each does piece after piece until nothing
// is left. What the runs come to does not depend on how many there are.
func Batch(s *Study, largest int, work func(*Worker)) {
	var first *Worker
	slots := func() int { return min(largest, first.Slots()) }
	new(plugin.Batch).Run(slots, func(l *plugin.Slot) {
		w := s.WorkerIn(l)
		if first == nil {
			first = w
		}
		defer w.Close()
		work(w)
	})
}

// maxHeld bounds what the worlds and markets of a batch hold, in records and instances: about 100 MB.
const maxHeld = 1 << 20

// Slots returns how many runs like the present one there is memory for at one time; 1 where no policy is one of the
// user's own, since nothing would be gained.
func (w *Worker) Slots() int {
	s := w.study
	if !s.work.batches() || !s.Spec.HasPlugins() || w.market == nil {
		return 1
	}
	held := 0
	for p := range w.market.Pools() {
		held += w.market.Pool(p).Quota
	}
	if w.market != s.Markets.Shared() {
		held += w.market.Records()
	}
	return min(plugin.Slots, max(maxHeld/max(held, 1), 1))
}
