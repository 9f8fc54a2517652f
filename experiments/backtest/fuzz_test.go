package backtest_test

import (
	"context"
	"math"
	"testing"

	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/traces/ownruns"
)

// FuzzJudge makes runs of any sound events: whatever a record says, it is judged or refused.
func FuzzJudge(f *testing.F) {
	f.Add([]byte{0, 10, 0, 0, 0, 2, 0, 0, 1, 3, 0, 0, 1, 13, 0, 0, 30, 13, 0, 30, 60, 11, 0, 0})
	f.Add([]byte{0, 2, 0, 0, 0, 13, 0, 0, 5, 13, 0, 9, 6, 6, 0, 0, 9, 2, 1, 0, 20, 13, 0, 20, 21, 11, 0, 0})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		var events []ownruns.Event
		kinds := ownruns.Kinds()
		for at := int64(0); len(bytes) >= 4 && len(events) < 200; bytes = bytes[4:] {
			at += int64(bytes[0]) * 500_000
			k := kinds[int(bytes[1])%len(kinds)]
			e := ownruns.Event{T: at, Kind: k.Kind, Value: math.NaN(), Line: int32(len(events))}
			if k.Kind.OfMachine() || k.Kind == ownruns.Price {
				e.Instance, e.Type, e.Zone = string(rune('a'+bytes[2]%4)), string(rune('v'+bytes[2]/4%2)), "z"
			}
			if k.Value != "" {
				e.Value = max(float64(bytes[3]), k.Min)
			}
			events = append(events, e)
		}
		r, err := ownruns.New("fuzz", true, []string{"fuzz"}, events)
		if err != nil {
			return
		}
		runs := []backtest.Observed{backtest.From(r), backtest.From(r)}
		v, err := backtest.Judge(context.Background(), runs, backtest.Options{Draws: 3})
		if err != nil {
			return
		}
		v.RunRows()
		v.HourRows()
		v.CurveRows()
		v.ScoreRows()
		v.FitRows()
	})
}
