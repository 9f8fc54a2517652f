package fromruns

import (
	"github.com/marigram/marigram/sim"
)

// Option is, in a spec, a job that trains as observed runs did.
type Option struct {
	File  string  `json:"file" jsonschema:"model file of marigram backtest --model, relative to this file"`
	Steps float64 `json:"steps" above:"0" max:"1e15" jsonschema:"size of the job in steps, as the runs counted them"`
}

// Models returns the models of the file for the pools of a market, with at most n instances.
func (o *Option) Models(f *Fitted, largest int) func(types []string) (sim.Model, error) {
	return func(types []string) (sim.Model, error) {
		return f.Point(Job{Steps: o.Steps, Types: types, Max: largest})
	}
}

// BootTime returns the fitted time from the grant of an instance until it trains (GangStart), which is what a market
// that boots is to take; false where it is a default.
func (f *Fitted) BootTime() (sim.Boot, bool) { return bootOf(&f.GangStart), !f.GangStart.assumed }
