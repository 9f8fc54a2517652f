package formats

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/marigram/marigram/traces"
)

// crawlNoise is how far two prices of a crawl may be apart and still be one, in
// nano-USD: sums of binary floating point numbers.
const crawlNoise = 1000

// crawl settles prices that were polled: a difference within the noise is none,
// and the usual distance of two rows of a pool is that of the polls.
type crawl struct {
	noisy     int
	n         int           // distances
	distances map[int64]int // how often each
}

// see takes a row of a pool and the one before it.
func (c *crawl) see(r *traces.PriceRow, last *poolPrice) error {
	c.n++
	c.distances[r.T-last.t]++
	if d := r.PriceNanoUSD - last.nano; d != 0 && -crawlNoise < d && d < crawlNoise {
		r.PriceNanoUSD = last.nano
		c.noisy++
	}
	if len(c.distances) > maxHeld {
		return fmt.Errorf("prices at more than %d different distances, expected polls", maxHeld)
	}
	return nil
}

// finish says how far apart the polls were, where no one else did.
func (c *crawl) finish(b *Builder) {
	b.Manifest.SamplingUs = cmp.Or(b.Manifest.SamplingUs, c.median())
	if c.noisy > 0 {
		b.Notef("%d prices within 0.000001 USD of the one before: taken as the same", c.noisy)
	}
}

// median returns the middle distance, the upper one of two, 0 if there is none.
func (c *crawl) median() int64 {
	below := 0
	for _, d := range slices.Sorted(maps.Keys(c.distances)) {
		if below += c.distances[d]; below > c.n/2 {
			return d
		}
	}
	return 0
}

// poolPrice is what has to be known of a pool's last row.
type poolPrice struct {
	t, nano int64
	any     bool
}
