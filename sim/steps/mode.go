package steps

import "fmt"

// Mode is how data-parallel workers keep together.
type Mode uint8

// The modes. An update is what one worker's mini-batch does to the parameters.
const (
	// ASP (asynchronous parallel): every worker goes on alone; each mini-batch
	// is an update.
	ASP Mode = iota
	// BSP (bulk synchronous parallel): an iteration ends when every worker that
	// began it has finished its mini-batch. A loss of one starts it again.
	BSP
	// SSP (stale synchronous parallel): no worker is more than a number of
	// mini-batches, the staleness, ahead of the slowest. 0 waits as BSP does,
	// infinity is ASP.
	SSP
	// Backup is BSP with k workers too many: an iteration ends without the
	// slowest k, whose mini-batches are dropped, and survives the loss of k.
	Backup
	// Flexible is BSP that goes on with the survivors of a loss: the iteration
	// makes fewer updates.
	Flexible
)

var modeNames = [...]string{"asp", "bsp", "ssp", "backup", "flexible"}

// String returns the name that ParseMode reads.
func (m Mode) String() string { return modeNames[m] }

// ParseMode reads a mode; its name is as in specs, in lower case.
func ParseMode(s string) (Mode, error) {
	for m, name := range modeNames {
		if name == s {
			return Mode(m), nil
		}
	}
	return 0, fmt.Errorf("mode %q, expected asp, bsp, ssp, backup or flexible", s)
}

// Barrier reports whether the workers wait for each other after each mini-batch.
func (m Mode) Barrier() bool { return m == BSP || m == Backup || m == Flexible }
