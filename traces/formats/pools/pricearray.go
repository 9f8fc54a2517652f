package pools

import (
	"os"
	"path/filepath"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// arrays are the prices of Options.PriceArrays: value i is the price at row i of a file
// of polls. A folder has a file of them for each file of polls.
type arrays struct {
	byStem map[string][]int64 // of the file; nil: not read yet; nano-USD/h
	file   int32              // place of their own file in the manifest
}

// of returns the prices of a file of n rows, nil if there are none.
func (a *arrays) of(b *formats.Builder, s *read.Source, rows int) ([]int64, error) {
	path := b.Options.PriceArrays
	if path == "" {
		return nil, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return a.withJSON(b, s, rows, filepath.Join(path, s.Stem()+".json"))
	}
	if a.byStem == nil {
		err := b.Include(path, func(s *read.Source) (err error) {
			a.file = s.Index
			a.byStem, err = readArrays(s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	prices, ok := a.byStem[s.Stem()]
	if !ok || len(prices) != rows {
		return nil, s.Errorf(0, 0, "has %d rows, and %s has %d prices for %s; expected as many",
			rows, path, len(prices), s.Stem())
	}
	return prices, nil
}

// withJSON returns the prices of a file of polls that are in one of their own: `{"prices": [...]}`.
func (a *arrays) withJSON(b *formats.Builder, s *read.Source, rows int, path string) (prices []int64, err error) {
	err = b.Include(path, func(p *read.Source) error {
		a.file = p.Index
		c := read.NewCursor(p)
		return c.Object("the file", func(key string) error {
			if key != "prices" {
				return c.Skip(read.Quote(key))
			}
			return c.Array("prices", func() error { return priceValue(c, &prices) })
		})
	})
	if err == nil && len(prices) != rows {
		err = s.Errorf(0, 0, "has %d rows, and %s has %d prices; expected as many", rows, path, len(prices))
	}
	return prices, err
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

// readArrays reads `{"us-east-1a_v100_1": [1.6703, ...], ...}`.
func readArrays(s *read.Source) (map[string][]int64, error) {
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
