package sim

import "time"

// DefaultBoot is the boot time where none is known: a median of 126 s, the time
// from notice to take-over in spotDNN's Fig. 9 (IWQoS 2023), and a sigma of 0.1, as
// in CM-DARE's start-up log (ICDCS 2020; 0.03 to 0.12). Specs and replays use it.
func DefaultBoot() Boot { return Boot{Median: 126 * time.Second, Sigma: 0.1} }

// DefaultParameterServerPrice is the price of a parameter server where none is
// given, USD per hour: m5.xlarge on demand in us-east-1 (AWS price list), on which
// spotDNN runs its own.
const DefaultParameterServerPrice = 0.192
