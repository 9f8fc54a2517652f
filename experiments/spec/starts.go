package spec

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// Starts says where in recorded traces runs begin: at instants a fixed time apart that
// leave a whole horizon behind them, or at a number of instants drawn from those. The
// zero value is their beginning alone.
type Starts struct {
	EveryS float64 `json:"every_s,omitempty" min:"1" max:"632448000" excludes:"random" jsonschema:"seconds between two starts, at least 1"`
	Every  string  `json:"every,omitempty" excludes:"every_s,random" jsonschema:"the same as a duration, such as 6h, 1h30m or 1d"`
	Count  int     `json:"count,omitempty" min:"1" jsonschema:"largest number of these, the first ones; all that leave a whole horizon if absent"`
	Random int     `json:"random,omitempty" min:"1" max:"1000000" jsonschema:"number of starts, at whole seconds drawn uniformly, at most 1000000"`
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

// List returns the starts in seconds from the beginning of the traces, the last at most
// there: the last start that leaves a whole horizon. The seed is that of random ones.
func (x *Starts) List(last time.Duration, seed uint64) ([]float64, error) {
	switch end := last.Seconds(); {
	case *x == Starts{}:
		return []float64{0}, nil
	case last < 0:
		return nil, fmt.Errorf("starts: no start leaves enough history for the whole horizon")
	case x.EveryS > 0 && x.Count == 0 && end/x.EveryS >= MaxStarts:
		return nil, fmt.Errorf("starts.every_s: %v makes more than %d starts", x.EveryS, MaxStarts)
	default:
		return x.list(end, seed), nil
	}
}

func (x *Starts) list(last float64, seed uint64) (starts []float64) {
	for k := 0; x.EveryS > 0 && float64(k)*x.EveryS <= last && (x.Count == 0 || k < x.Count); k++ {
		starts = append(starts, float64(k)*x.EveryS)
	}
	for k := range x.Random {
		starts = append(starts, float64(sim.Rand{Seed: seed}.Intn(purposeStart, 0, uint64(k), int(last)+1)))
	}
	return starts
}
