package pools

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

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
		b.Notef("%s: the price is %s USD/h at all %d polls: it may be a placeholder", s.Base(), traces.FormatUSD(prices[0]),
			len(prices))
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
