package fromruns

import (
	"github.com/marigram/marigram/sim"
)

// BootTime returns the fitted time from the grant of an instance until it trains (GangStart), which is what a market
// that boots is to take; false where it is a default.
func (f *Fitted) BootTime() (sim.Boot, bool) { return bootOf(&f.GangStart), !f.GangStart.assumed }
