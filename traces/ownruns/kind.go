package ownruns

import (
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/traces"
)

// Kind says what an event is.
type Kind uint8

// The kinds. KindInfo has their names in the CSV and what their values mean.
const (
	None       Kind = iota // no event
	Requested              // machines were asked for
	Refused                // a request got nothing
	Launched               // the machine was granted; it boots
	Ready                  // the machine can train
	Notice                 // the machine will be taken
	Rebalance              // the machine may be taken
	Preempted              // the cloud took the machine
	Released               // the user stopped the machine
	Failed                 // the machine broke
	Terminated             // the machine ended; who ended it is not recorded

	Start    // the run began, or was submitted
	End      // the run reached its goal
	Aborted  // the run ended short of its goal
	Step     // n steps are done
	Loss     // training loss
	Save     // a checkpoint is complete
	Restart  // the training process begins again
	Restored // training goes on from a checkpoint

	Training      // from now on the run trains
	Saving        // from now on it saves
	Restoring     // from now on it loads a checkpoint
	Reconfiguring // from now on it changes its layout
	Waiting       // from now on it waits, for data or machines
	Starting      // from now on its devices start

	Charge // dollars billed
	Price  // what a machine costs from now on
	kinds
)

// Need says whether an event of a kind has a value.
type Need uint8

// Whether there is a value.
const (
	NoValue  Need = iota // never
	Optional             // where it was recorded
	Required             // always
)

// KindInfo describes a kind.
type KindInfo struct {
	Kind Kind
	Name string // in the CSV
	What string // what happened
	Need Need
	// Value says what the value is, with its unit; empty where there is none.
	Value    string
	Min, Max float64 // of the value
}

// MaxValue is the largest value of an event: of steps, seconds and dollars.
const MaxValue = 1e15

// seconds is what the value of several kinds means.
const seconds = "seconds it took, if recorded"

var kindInfo = [kinds]KindInfo{
	Requested: {
		Name:  "requested",
		What:  "machines were asked for",
		Need:  Optional,
		Value: "how many; without it 1",
		Min:   1,
		Max:   traces.MaxMachines,
	},
	Refused: {
		Name:  "refused",
		What:  "the request got nothing",
		Need:  Optional,
		Value: "how many; without it 1",
		Min:   1,
		Max:   traces.MaxMachines,
	},
	Launched: {Name: "launched", What: "the machine was granted; it boots"},
	Ready:    {Name: "ready", What: "the machine can train"},
	Notice: {
		Name:  "notice",
		What:  "warning: the machine will be taken",
		Need:  Optional,
		Value: "seconds until then, if recorded",
		Max:   MaxValue,
	},
	Rebalance:  {Name: "rebalance", What: "warning: the machine may be taken"},
	Preempted:  {Name: "preempted", What: "the cloud took the machine"},
	Released:   {Name: "released", What: "the user stopped the machine"},
	Failed:     {Name: "failed", What: "the machine broke"},
	Terminated: {Name: "terminated", What: "the machine ended; who ended it is not recorded"},
	Start:      {Name: "start", What: "the run began, or was submitted"},
	End:        {Name: "end", What: "the run reached its goal"},
	Aborted:    {Name: "aborted", What: "the run ended short of its goal"},
	Step: {
		Name:  "step",
		What:  "training has come so far; a fall means that it went back to a checkpoint",
		Need:  Required,
		Value: "number of steps done",
		Max:   MaxValue,
	},
	Loss:    {Name: "loss", What: "training loss", Need: Required, Value: "loss", Min: -MaxValue, Max: MaxValue},
	Save:    {Name: "save", What: "a checkpoint is complete", Need: Optional, Value: seconds, Max: MaxValue},
	Restart: {Name: "restart", What: "the training process begins again"},
	Restored: {
		Name:  "restored",
		What:  "training goes on from a checkpoint",
		Need:  Optional,
		Value: "step from which it goes on, if recorded",
		Max:   MaxValue,
	},
	Training: {
		Name:  "training",
		What:  "from now on the run trains",
		Need:  Optional,
		Value: seconds,
		Max:   MaxValue,
	},
	Saving: {Name: "saving", What: "from now on the run saves", Need: Optional, Value: seconds, Max: MaxValue},
	Restoring: {
		Name:  "restoring",
		What:  "from now on the run loads a checkpoint",
		Need:  Optional,
		Value: seconds,
		Max:   MaxValue,
	},
	Reconfiguring: {
		Name:  "reconfiguring",
		What:  "from now on the run changes its layout",
		Need:  Optional,
		Value: seconds,
		Max:   MaxValue,
	},
	Waiting: {
		Name:  "waiting",
		What:  "from now on the run waits, for data or for machines",
		Need:  Optional,
		Value: seconds,
		Max:   MaxValue,
	},
	Starting: {
		Name:  "starting",
		What:  "from now on the run's devices start",
		Need:  Optional,
		Value: seconds,
		Max:   MaxValue,
	},
	Charge: {
		Name:  "charge",
		What:  "dollars billed, for usage that began at this time",
		Need:  Required,
		Value: "USD; negative: a refund",
		Min:   -MaxValue,
		Max:   MaxValue,
	},
	Price: {
		Name:  "price",
		What:  "what a machine of the type costs in the zone from now on",
		Need:  Required,
		Value: "USD per hour",
		Max:   10_000,
	},
}

// Kinds lists the kinds, in the order in which they are declared.
func Kinds() []KindInfo {
	out := make([]KindInfo, 0, kinds-1)
	for k := None + 1; k < kinds; k++ {
		out = append(out, k.Info())
	}
	return out
}

// Info describes a kind. It panics for one that there is not.
func (k Kind) Info() KindInfo {
	info := kindInfo[k]
	info.Kind = k
	return info
}

// String is the name of the kind in the CSV.
func (k Kind) String() string {
	if k == None || k >= kinds {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindInfo[k].Name
}

// kindByName is the kinds by name.
var kindByName = func() map[string]Kind {
	m := map[string]Kind{}
	for _, i := range Kinds() {
		m[i.Name] = i.Kind
	}
	return m
}()

// KindNamed returns the kind with a name in the CSV.
func KindNamed(name string) (Kind, bool) {
	k, ok := kindByName[name]
	return k, ok
}

// OfMachine reports whether the kind is of a machine, which its event must name: from
// Launched to Terminated.
func (k Kind) OfMachine() bool { return k >= Launched && k <= Terminated }

// Goes reports whether a machine is there no longer after an event of the kind.
func (k Kind) Goes() bool { return k >= Preempted && k <= Terminated }

// OfTraining reports whether the kind says how far training is, or what the run does.
func (k Kind) OfTraining() bool { return k >= Step && k <= Starting }

// OfMoney reports whether the kind is of the bill or of the market: such events are no
// part of the run's time.
func (k Kind) OfMoney() bool { return k == Charge || k == Price }

// check says what is wrong with the value of an event of the kind. It continues a sentence
// that ends with the value.
func (k Kind) check(value float64) error {
	i := &kindInfo[k]
	switch {
	case math.IsNaN(value) && i.Need == Required:
		return fmt.Errorf("expected %s", i.Value)
	case math.IsNaN(value):
		return nil
	case i.Need == NoValue:
		return fmt.Errorf("expected none: an event %q has no value", i.Name)
	case !(value >= i.Min && value <= i.Max):
		return fmt.Errorf("expected %s, from %g to %g", strings.TrimSuffix(i.Value, ", if recorded"), i.Min, i.Max)
	}
	return nil
}
