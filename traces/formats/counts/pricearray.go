package counts

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// addPriceArray adds the prices that Options.PriceArrays holds for a file of
// polls: value i is the price at row i. Only changes become rows.
func (b *availability) addPriceArray(s *read.Source, rows []traces.CapacityRow) error {
	if b.Options.PriceArrays == "" {
		return nil
	}
	if err := b.readPriceArrays(); err != nil {
		return err
	}
	prices, ok := b.arrays[s.Stem()]
	if !ok || len(prices) != len(rows) {
		return s.Errorf(0, 0, "has %d rows, and %s has %d prices for %s; expected as many", len(rows), b.Options.PriceArrays, len(prices), s.Stem())
	}
	return b.addPolledPrices(s, b.arrayFile, rows, prices)
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
		b.Notef("%s: the price is %s USD/h at all %d polls: it may be a placeholder", s.Base(), traces.FormatUSD(prices[0]), len(prices))
	}
	return nil
}

// priceValue reads a number of USD into a list.
func priceValue(c *read.Cursor, prices *[]int64) error {
	text, err := c.Number("price")
	if err != nil {
		return err
	}
	nano, bad := traces.ParseUSD(text)
	if bad != nil {
		return c.Errorf("price %s %v", read.Quote(text), bad)
	}
	*prices = append(*prices, nano)
	return nil
}

// readPriceArrays reads `{"us-east-1a_v100_1": [1.6703, ...], ...}`, once.
func (b *availability) readPriceArrays() error {
	if b.arrays != nil {
		return nil
	}
	return b.Include(b.Options.PriceArrays, func(s *read.Source) (err error) {
		b.arrayFile = s.Index
		b.arrays, err = priceArrays(s)
		return err
	})
}

func priceArrays(s *read.Source) (map[string][]int64, error) {
	arrays := map[string][]int64{}
	c := read.NewCursor(s)
	err := c.Object("the file", func(key string) error {
		var prices []int64
		err := c.Array(read.Quote(key), func() error { return priceValue(c, &prices) })
		arrays[key] = prices
		return err
	})
	if err == nil && !c.Done() {
		err = c.Errorf("more text follows the object, expected one object")
	}
	return arrays, err
}
