package traces

import (
	"strings"
	"testing"
	"time"
)

func TestOptionsCheck(t *testing.T) {
	for want, o := range map[string]Options{
		"cap -1":          {Cap: -1},
		"gpus 2000":       {GPUs: 2000},
		"at least 0":      {Sampling: -1},
		"whole micro":     {Unit: 1500},
		"start or end":    {Start: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)},
		"offset -1s of z": {Offsets: map[string]time.Duration{"z": -time.Second}},
		"on-demand price": {OnDemandNano: map[string]int64{"t": -1}},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}
