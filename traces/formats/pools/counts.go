package pools

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// evenFormat reads counts at equal distances of one zone a file.
var evenFormat = formats.Format{
	Name: "counts-json",
	What: "JSON counts at equal distances, one pool a file (SkyPilot, SpotHedge, SkyNomad); the same layout " +
		"is published in both polarities, so the option polarity must say what a 1 is; files do not say when they " +
		"begin; prices, where there are, one a count",
	Example: `{"metadata": {"gap_seconds": 300}, "data": [4, 4, 3, 0]}`,
	Version: 1,
	// Answers of Azure's Resource Graph have data, too.
	Recognise: func(s *read.Source) bool {
		return s.TopKey("metadata", "data") && !s.Holds("skuspot", `"spotprices"`, `evictionrate"`)
	},
	New: func(b *formats.Builder) formats.Importer { return &even{counter{Builder: b}} },
}

// expectedPolarity is the end of a message about a file that does not say what its 1 means.
const expectedPolarity = `expected the option polarity (--polarity; polarity in a spec) to be "` +
	string(traces.OneIsAvailable) + `" or "` + string(traces.OneIsPreempted) + `"`

// even reads counts at equal distances.
type even struct{ counter }

func (b *even) Read(s *read.Source) error {
	if b.Options.Polarity == traces.PolarityUnstated {
		return s.MissingOption("polarity", "does not say whether 1 means available or preempted, and both are published in this layout; "+expectedPolarity)
	}
	b.polarity, b.Manifest.Polarity = b.Options.Polarity, string(b.Options.Polarity)
	f, err := b.countsFile(s)
	if err != nil {
		return err
	}
	gap, counts := f.gap, f.counts
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	origin := b.Beginning(s)
	if gap > (traces.MaxInstant-origin)/int64(len(counts)) {
		return s.Errorf(0, 0, "%d counts, %d us apart, end after the year 2199", len(counts), gap)
	}
	rows := make([]traces.CapacityRow, len(counts))
	for i, n := range counts {
		rows[i] = traces.CapacityRow{T: origin + int64(i)*gap, PoolID: pool, SrcRow: int64(i), Origin: traces.OriginPoll,
			Available: n}
	}
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsUnknown
	b.Polled(rows)
	b.ObservedUntil(pool, origin+int64(len(rows))*gap)
	b.Manifest.SamplingUs = max(b.Manifest.SamplingUs, gap)
	b.AddCounts(s, rows)
	return b.addPolledPrices(s, s.Index, rows, f.prices)
}

// countsFile is what a file says.
type countsFile struct {
	gap    int64 // distance of two counts, us
	counts []int32
	prices []int64 // nano-USD per hour; none, or one a count
}

func (b *even) countsFile(s *read.Source) (f countsFile, err error) {
	c := read.NewCursor(s)
	err = c.Object("the file", func(key string) error {
		switch key {
		case "metadata":
			return c.Object(key, func(key string) (err error) {
				if key != "gap_seconds" {
					b.Ignore("metadata." + key)
					return c.Skip(key)
				}
				f.gap, err = c.Seconds(key)
				return err
			})
		case "data":
			return c.Array(key, func() error { return b.countsValue(c, &f.counts) })
		case "prices":
			return c.Array(key, func() error { return priceValue(c, &f.prices) })
		}
		b.Ignore(key)
		return c.Skip(key)
	})
	switch {
	case err != nil:
	case !c.Done():
		err = c.Errorf("more text follows the object, expected one object a file")
	case len(f.counts) == 0:
		err = c.Errorf("data is missing or empty, expected an array of counts")
	case len(f.prices) > 0 && len(f.prices) != len(f.counts):
		err = c.Errorf("%d prices for %d counts, expected as many", len(f.prices), len(f.counts))
	case b.Options.Sampling > 0:
		f.gap = b.Options.Sampling.Microseconds()
	case f.gap == 0:
		err = c.Errorf("metadata.gap_seconds is missing, expected it or the option interval (--interval)")
	}
	return f, err
}

func (b *even) countsValue(c *read.Cursor, counts *[]int32) error {
	n, err := c.Count("count")
	if err != nil {
		return err
	}
	if err := b.checkCount(int64(n)); err != nil {
		return c.Errorf("count %d %v", n, err)
	}
	if n, err = b.polarise(n); err != nil {
		return c.Errorf("count %d: %v", n, err)
	}
	*counts = append(*counts, n)
	return nil
}
