package formats

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/traces"
)

// Polled completes the rows of one pool that was polled: their uncertainty is
// the distance to the observation before.
func (b *Builder) Polled(rows []traces.CapacityRow) {
	times := make([]int64, len(rows))
	for i := range rows {
		if times[i] = rows[i].T; i > 0 {
			rows[i].UncertainUs = times[i] - times[i-1]
		}
	}
	b.Observed(rows[0].PoolID, times)
}

// Observed records when a pool was looked at: a long silence is a gap, a shorter one
// is bridged by the observation before it, and the observation ends one usual distance
// after the last.
func (b *Builder) Observed(pool int32, times []int64) {
	if len(times) == 0 {
		return
	}
	usual := usualDistance(times)
	hole := cmp.Or(b.Options.MaxHole.Microseconds(), traces.DefaultMaxHole*usual)
	for i := 1; i < len(times); i++ {
		d := times[i] - times[i-1]
		silence := time.Duration(d) * time.Microsecond
		switch {
		case usual == 0:
		case d > max(hole, usual):
			b.Gap(pool, times[i-1]+usual, times[i], fmt.Sprintf("no observation for %v", silence))
		case d > 2*usual:
			b.Report.Bridged++
			b.Report.LongestBridged = max(b.Report.LongestBridged, silence)
		}
	}
	b.Manifest.SamplingUs = max(b.Manifest.SamplingUs, usual)
	b.ObservedUntil(pool, times[len(times)-1]+usual)
}

// ObservedFrom records that the observation began at an instant, us UTC, at the latest: what has no row by then was
// not there yet. Without it the observation begins with the first row.
func (b *Builder) ObservedFrom(us int64) {
	if b.begins == nil || us < *b.begins {
		b.begins = &us
	}
}

// usualDistance returns the median distance of two instants.
func usualDistance(times []int64) int64 {
	var d []int64
	for i := 1; i < len(times); i++ {
		if step := times[i] - times[i-1]; step > 0 {
			d = append(d, step)
		}
	}
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2]
}

// ObservedUntil says that a pool was observed until an instant at least, us UTC. Pools
// of which nothing is said were observed until the end of the set.
func (b *Builder) ObservedUntil(pool int32, us int64) {
	b.ends[pool] = max(b.ends[pool], min(us, traces.MaxInstant))
}

// ClockGrain returns the grain of the clock of relative times, as stated or as
// they show it; 0 where it is below a second.
func (b *Builder) ClockGrain(times []int64) int64 {
	if b.Options.Sampling > 0 {
		return b.Options.Sampling.Microseconds()
	}
	grid := int64(0)
	for _, t := range times {
		grid = gcd(grid, t)
	}
	if grid < 1e6 {
		return 0
	}
	b.Notef("all times are multiples of %v: taken as the resolution of the source's clock",
		time.Duration(grid)*time.Microsecond)
	return grid
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
