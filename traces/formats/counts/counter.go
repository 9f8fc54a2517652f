package counts

import (
	"fmt"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
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
