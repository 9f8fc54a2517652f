package spec

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Starts says where in recorded traces runs begin: at instants a fixed time apart that
// leave a whole horizon behind them, or at a number of instants drawn from those, in all of the traces or in a
// part (WindowOf). The zero value is their beginning alone.
type Starts struct {
	EveryS float64 `json:"every_s,omitempty" min:"1" max:"632448000" excludes:"random" jsonschema:"seconds between two starts, at least 1"`
	Every  string  `json:"every,omitempty" excludes:"every_s,random" jsonschema:"the same as a duration, such as 6h, 1h30m or 1d"`
	Count  int     `json:"count,omitempty" min:"1" jsonschema:"largest number of these, the first ones; all that leave a whole horizon if absent"`
	Random int     `json:"random,omitempty" min:"1" max:"1000000" jsonschema:"number of starts, at whole seconds drawn uniformly, at most 1000000"`
	Part   string  `json:"part,omitempty" names:"train,judge" jsonschema:"the part of the traces in which runs begin and end: train to learn and to choose, judge for what is reported; blocks of both take turns, a horizon apart; all if absent"`
}

// MaxStarts bounds the number of starts.
const MaxStarts = 1_000_000

// Complete works EveryS out and reports what is wrong, with the key that it is about.
func (x *Starts) Complete() (key string, err error) {
	if text := x.Every; text != "" {
		every, err := ParseDuration(text)
		if err != nil || every <= 0 || x.EveryS != 0 {
			return "every", fmt.Errorf("%q, expected a duration such as 6h, and no every_s next to it", text)
		}
		x.EveryS, x.Every = every.Seconds(), ""
	}
	if x.Count > 0 && x.EveryS == 0 {
		return "count", fmt.Errorf("%d, expected only with every", x.Count)
	}
	return "", nil
}

// purposeStart is the purpose of the draws of random starts (sim.Rand).
const purposeStart = sim.PurposeUser + 300

// List returns the starts in seconds from the beginning of traces that end at an instant, all of which leave a whole
// horizon. The seed is that of random ones.
func (x *Starts) List(end, horizon time.Duration, seed uint64) ([]float64, error) {
	switch last := (end - horizon).Seconds(); {
	case *x == Starts{}:
		return []float64{0}, nil
	case end < horizon:
		return nil, fmt.Errorf("starts: no start leaves enough trace for the whole horizon of %v: "+
			"the traces end after %v; expected longer ones, or a shorter horizon_s", horizon, end)
	case x.EveryS == 0 && x.Random == 0:
		return nil, fmt.Errorf("starts.part: %s alone does not say how many starts, "+
			"expected every or random next to it", x.Part)
	case x.EveryS > 0 && x.Count == 0 && last/x.EveryS >= MaxStarts:
		return nil, fmt.Errorf("starts.every_s: %v makes more than %d starts", x.EveryS, MaxStarts)
	}
	w, err := WindowOf(x.Part, end, horizon)
	if err != nil {
		return nil, fmt.Errorf("starts.part: %w", err)
	}
	starts := x.list(w, (end - horizon).Seconds(), seed)
	if len(starts) == 0 {
		return nil, fmt.Errorf("starts.every_s: none of the starts %v s apart is in the part %s", x.EveryS, x.Part)
	}
	return starts, nil
}

func (x *Starts) list(w *Window, last float64, seed uint64) (starts []float64) {
	for k := 0; x.EveryS > 0 && float64(k)*x.EveryS <= last && (x.Count == 0 || len(starts) < x.Count); k++ {
		if at := float64(k) * x.EveryS; w.Has(units.Seconds(at)) {
			starts = append(starts, at)
		}
	}
	for k := range x.Random {
		starts = append(starts, w.Draw(seed, uint64(k)).Seconds())
	}
	return starts
}

// The parts of recorded traces: what learns or chooses runs in one, and what judges it in the other.
const (
	Train = "train"
	Judge = "judge"
)

// maxBlocks is into how many blocks of equal length traces are cut at most: the first belongs to Train, the second to
// Judge, and so on.
const maxBlocks = 8

// Window is when runs may begin: within spans of recorded traces, whose ends count.
type Window struct {
	spans []span
	total time.Duration // of all spans
}

type span struct{ from, length time.Duration }

// WindowOf returns when runs of at most a horizon may begin in a part (Train or Judge) of traces that end at an
// instant, or in all of them where part is empty. All of a run lies within a block of its part, and ends a horizon
// before the next block: no instant is in runs of both parts, and as long as a run lies between them. There are eight
// blocks, or four or two where these would be shorter than four horizons.
func WindowOf(part string, end, horizon time.Duration) (*Window, error) {
	w := &Window{}
	if part == "" {
		w.add(0, max(end-horizon, 0))
		return w, nil
	}
	n := time.Duration(maxBlocks)
	for n > 2 && end/n < 4*horizon {
		n /= 2
	}
	if end/n < 2*horizon+time.Second {
		return nil, fmt.Errorf("traces of %v are too short for two parts: each needs two horizons (%v each); "+
			"expected longer traces, or a shorter horizon_s", end, horizon)
	}
	for k := range n {
		if (k%2 == 0) != (part == Train) {
			continue
		}
		from, until := end*k/n, end*(k+1)/n-2*horizon
		if k == n-1 {
			until += horizon // nothing follows
		}
		from = (from + time.Second - 1).Truncate(time.Second)
		w.add(from, until-from)
	}
	return w, nil
}

func (w *Window) add(from, length time.Duration) {
	w.spans, w.total = append(w.spans, span{from, length}), w.total+length
}

// Total returns how long the spans are together.
func (w *Window) Total() time.Duration { return w.total }

// At returns the instant that comes so long after the first, what lies between the spans left out; at most the last.
func (w *Window) At(after time.Duration) time.Duration {
	for _, s := range w.spans {
		if after < s.length {
			return s.from + after
		}
		after -= s.length
	}
	last := w.spans[len(w.spans)-1]
	return last.from + last.length
}

// Before returns how long the spans are together before an instant.
func (w *Window) Before(at time.Duration) (sum time.Duration) {
	for _, s := range w.spans {
		sum += min(max(at-s.from, 0), s.length)
	}
	return sum
}

// Has reports whether a run may begin at an instant.
func (w *Window) Has(at time.Duration) bool {
	for _, s := range w.spans {
		if at >= s.from && at <= s.from+s.length {
			return true
		}
	}
	return false
}

// Draw returns the k-th start of a seed: a whole second, uniformly.
func (w *Window) Draw(seed, k uint64) time.Duration {
	n := sim.Rand{Seed: seed}.Intn(purposeStart, 0, k, int(w.total/time.Second)+1)
	return w.At(time.Duration(n) * time.Second).Truncate(time.Second)
}
