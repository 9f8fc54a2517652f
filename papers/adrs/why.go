package adrs

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/internal/table"
)

// Loss is a stretch of ticks in which a run did the same, and what it paid for that above the best it could have done
// from where it was, had it known the future.
type Loss struct {
	Tick  int     `json:"tick"` // the first
	Ticks int     `json:"ticks"`
	Ran   string  `json:"ran"`     // none, spot or on demand
	Up    bool    `json:"spot_up"` // in some zone
	USD   float64 `json:"usd"`
	// Late: from here the job cannot be in time; no sum is named.
	Late bool `json:"late,omitempty"`
}

// leastLoss is what a stretch costs that is told, USD.
const leastLoss = 0.005

// losses returns the stretches of a run in which it paid more than the optimum, the dearest first.
func losses(c *Case, path []Choice, paid []float64) []Loss {
	var all []Loss
	for tick, usd := range paid {
		if tick >= len(path) {
			break
		}
		here := Loss{Tick: tick, Ran: path[tick].Kind.String(), Up: upAt(c, tick) != 0}
		last := len(all) - 1
		if last < 0 || all[last].Ran != here.Ran || all[last].Up != here.Up {
			all = append(all, here)
			last++
		}
		all[last].Ticks++
		if math.IsInf(usd, 1) || math.IsNaN(usd) {
			all[last].Late = true
			break
		}
		all[last].USD += usd
	}
	all = slices.DeleteFunc(all, func(l Loss) bool { return l.USD < leastLoss && !l.Late })
	slices.SortStableFunc(all, func(a, b Loss) int { return cmp.Compare(b.USD, a.USD) })
	return all
}

// whyTable says by what was done what programs paid above the optimum.
func whyTable(programs []Standing) *table.Table {
	t := table.New("program|left", "above optimum, USD a run|%.3f", "on demand, spot up|%.3f", "on demand, none up|%.3f",
		"idle, spot up|%.3f", "idle, none up|%.3f", "spot|%.3f", "dearest|left")
	for i := range programs {
		s := &programs[i]
		if s.Cases == nil {
			continue
		}
		sums := map[[2]any]float64{}
		all := 0.0
		var dearest Loss
		where := ""
		for k := range s.Cases {
			for _, l := range s.Cases[k].Why {
				sums[[2]any{l.Ran, l.Up}] += l.USD / float64(len(s.Cases))
				all += l.USD / float64(len(s.Cases))
				if l.USD > dearest.USD {
					dearest = l
					where = s.Cases[k].Case
				}
			}
		}
		onDemand := OnDemand.String()
		none := None.String()
		spot := Spot.String()
		t.Row(s.Program, all, sums[[2]any{onDemand, true}], sums[[2]any{onDemand, false}], sums[[2]any{none, true}],
			sums[[2]any{none, false}], sums[[2]any{spot, true}]+sums[[2]any{spot, false}], dearest.text(where))
	}
	return t
}

// text says what a loss was and where.
func (l Loss) text(where string) string {
	if l.Ticks == 0 {
		return ""
	}
	return fmt.Sprintf("%s, tick %d: %.2f USD, %d ticks of %s", where, l.Tick, l.USD, l.Ticks, l.Ran)
}
