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
		return nil, fmt.Errorf("starts: no start leaves enough trace for the whole horizon of %v", horizon)
	case x.EveryS == 0 && x.Random == 0:
		return nil, fmt.Errorf("starts.part: %s alone does not say how many starts, expected every or random next to it", x.Part)
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
