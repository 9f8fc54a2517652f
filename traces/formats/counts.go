package formats

import (
	"errors"

	"github.com/marigram/marigram/traces"
)

// countsJSON reads counts at equal distances of one zone a file.
var countsJSON = importer{
	Format: Format{
		Name:    "counts-json",
		What:    "JSON counts at equal distances, one pool a file (SkyPilot, SpotHedge, SkyNomad); the same layout is published in both polarities, so the option polarity must say what a 1 is; files do not say when they begin; prices, where there are, one a count",
		Example: `{"metadata": {"gap_seconds": 300}, "data": [4, 4, 3, 0]}`,
	},
	version:   1,
	recognise: func(s *source) bool { return topKey(s, "metadata", "data") },
	read:      readCounts,
}

func readCounts(s *source, b *build) error {
	if b.opt.Polarity == traces.PolarityUnstated {
		return s.errorf(1, 1, "does not say whether 1 means available or preempted, and both are published in this layout; expected the option polarity (--polarity; polarity in a spec) to be %q or %q", traces.OneIsAvailable, traces.OneIsPreempted)
	}
	b.polarity = string(b.opt.Polarity)
	f, err := b.countsFile(s)
	if err != nil {
		return err
	}
	gap, counts := f.gap, f.counts
	pool, err := b.filePool(s)
	if err != nil {
		return err
	}
	origin := beginning(&b.opt, s)
	if gap > (traces.MaxInstant-origin)/int64(len(counts)) {
		return s.errorf(0, 0, "%d counts, %d us apart, end after the year 2199", len(counts), gap)
	}
	rows := make([]traces.CapacityRow, len(counts))
	for i, n := range counts {
		rows[i] = traces.CapacityRow{T: origin + int64(i)*gap, PoolID: pool, SrcRow: int64(i), Origin: traces.OriginPoll, Available: n}
	}
	b.clock, b.semantics = relativeClock(&b.opt), traces.SemanticsUnknown
	b.polled(rows)
	b.ends[pool] = origin + int64(len(rows))*gap
	b.sampling = max(b.sampling, gap)
	b.addCounts(s, rows)
	return b.addPolledPrices(s, s.index, rows, f.prices)
}

// countsFile is what a file says.
type countsFile struct {
	gap    int64 // distance of two counts, us
	counts []int32
	prices []int64 // nano-USD per hour; none, or one a count
}

func (b *build) countsFile(s *source) (f countsFile, err error) {
	c := newCursor(s)
	err = c.object("the file", func(key string) error {
		switch key {
		case "metadata":
			return c.object(key, func(key string) (err error) {
				if key != "gap_seconds" {
					b.ignore("metadata." + key)
					return c.skip(key)
				}
				f.gap, err = c.seconds(key)
				return err
			})
		case "data":
			return c.array(key, func() error { return b.countsValue(c, &f.counts) })
		case "prices":
			return c.array(key, func() error { return c.priceValue(&f.prices) })
		}
		b.ignore(key)
		return c.skip(key)
	})
	switch {
	case err != nil:
	case !c.done():
		err = c.errorf("more text follows the object, expected one object a file")
	case len(f.counts) == 0:
		err = c.errorf("data is missing or empty, expected an array of counts")
	case len(f.prices) > 0 && len(f.prices) != len(f.counts):
		err = c.errorf("%d prices for %d counts, expected as many", len(f.prices), len(f.counts))
	case b.opt.Sampling > 0:
		f.gap = b.opt.Sampling.Microseconds()
	case f.gap == 0:
		err = c.errorf("metadata.gap_seconds is missing, expected it or the option interval (--interval)")
	}
	return f, err
}

func (b *build) countsValue(c *cursor, counts *[]int32) error {
	n, err := c.count("count")
	if err != nil {
		return err
	}
	if err := b.checkCount(int64(n)); err != nil {
		return c.errorf("count %d %v", n, err)
	}
	if n, err = b.polarise(n); err != nil {
		return c.errorf("count %d: %v", n, err)
	}
	*counts = append(*counts, n)
	return nil
}

// polarise turns a count of the source into machines available.
func (b *build) polarise(n int32) (int32, error) {
	if traces.Polarity(b.polarity) != traces.OneIsPreempted {
		return n, nil
	}
	if n > 1 {
		return n, errors.New("expected 0 or 1 where 1 means preempted")
	}
	return 1 - n, nil
}
