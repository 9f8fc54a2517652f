package backtest

import "github.com/marigram/marigram/experiments/backtest"

// flags say which runs are judged, and how.
type flags struct {
	load  load
	opt   backtest.Options
	seed  int64
	out   string
	model string
	json  bool
	used  string
	specs specFlags
}
