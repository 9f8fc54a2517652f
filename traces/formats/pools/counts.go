package pools

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

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
	Clock:     traces.ClockRelative,
	Semantics: traces.SemanticsUnknown,
	Recognise: func(s *read.Source) bool {
		return s.TopKey("metadata", "data") && !s.TopKey("original_trace") &&
			!s.Holds("skuspot", `"spotprices"`, `evictionrate"`)
	},
	New: func(b *formats.Builder) formats.Importer { return &even{counter: counter{Builder: b}} },
}

// expectedPolarity is the end of a message about a file that does not say what its 1 means.
const expectedPolarity = `expected the option polarity (--polarity; polarity in a spec) to be "` +
	string(traces.OneIsAvailable) + `" or "` + string(traces.OneIsPreempted) + `"`

// even reads counts at equal distances.
type even struct {
	counter
	known traces.Polarity // of the format; unstated: the option says it
}

func (b *even) Read(s *read.Source) error {
	b.polarity = cmp.Or(b.known, b.Options.Polarity)
	if b.polarity == traces.PolarityUnstated {
		return s.MissingOption("polarity", "does not say whether 1 means available or preempted, "+
			"and both are published in this layout; "+expectedPolarity)
	}
	b.Manifest.Polarity = string(b.polarity)
	f, err := b.countsFile(s)
	if err != nil {
		return err
	}
	gap := f.gap
	counts := f.counts
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
		rows[i] = traces.CapacityRow{
			T:         origin + int64(i)*gap,
			PoolID:    pool,
			SrcRow:    int64(i),
			Origin:    traces.OriginPoll,
			Available: n,
		}
	}
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
	err = c.Fields("the file", read.Fields{
		"metadata": func(key string) error {
			return c.Fields(key, read.Fields{"gap_seconds": read.To(&f.gap, c.Seconds)},
				func(key string) { b.Ignore("metadata." + key) })
		},
		"data":   c.Each(func() error { return b.countsValue(c, &f.counts) }),
		"prices": c.Each(func() error { return priceValue(c, &f.prices) }),
	}, b.Ignore)
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

// counter is what importers of counts have in common.
type counter struct {
	*formats.Builder
	polarity traces.Polarity // of the file
}

// checkCount returns why a count is not believed.
func (b *counter) checkCount(n int64) error {
	if n < 0 || n > traces.MaxMachines {
		return fmt.Errorf("expected a whole number from 0 to %d", traces.MaxMachines)
	}
	if b.Options.Cap > 0 && n > int64(b.Options.Cap) {
		return fmt.Errorf("is above the stated cap %d", b.Options.Cap)
	}
	return nil
}

// addPolledPrices adds the changes of prices with one value a poll, which stand
// in a source file.
func (b *counter) addPolledPrices(s *read.Source, file int32, rows []traces.CapacityRow, prices []int64) error {
	if len(prices) == 0 {
		return nil
	}
	changes := 0
	for i, nano := range prices {
		if i > 0 && nano == prices[i-1] {
			continue
		}
		changes++
		err := b.AddPrice(traces.PriceRow{
			T: rows[i].T, UncertainUs: rows[i].UncertainUs, PoolID: rows[i].PoolID,
			SrcFile: file, SrcRow: int64(i), Origin: traces.OriginPoll, PriceNanoUSD: nano, Currency: "USD",
		})
		if err != nil {
			return err
		}
	}
	b.Notef("prices from an array with one value a poll: changes only")
	if changes == 1 && len(prices) > 1 {
		b.Notef("%s: the price is %s USD/h at all %d polls: it may be a placeholder",
			s.Base(), traces.FormatUSD(prices[0]), len(prices))
	}
	return nil
}

// available reads a count in the polarity of the source.
func (b *counter) available(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || text[0] == '+' {
		n = -1
	}
	if err := b.checkCount(n); err != nil {
		return 0, err
	}
	return b.polarise(int32(n))
}

// polarise turns a count of the source into machines available.
func (b *counter) polarise(n int32) (int32, error) {
	if b.polarity != traces.OneIsPreempted {
		return n, nil
	}
	if n > 1 {
		return n, errors.New("expected 0 or 1 where 1 means preempted")
	}
	return 1 - n, nil
}
