package clouds

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// reader reads one file of operations.
type reader struct {
	b    *operations
	s    *read.Source
	c    *read.Cursor
	rest formats.Tally // operations left out, by type

	pending []pendingEvent
}

// machineData is what the object of machines says of one.
type machineData struct{ zone, machineType, preemptible string }

// operations reads files of operations.
type operations struct {
	*formats.Builder
	ends map[string]int64 // by machine: when it last ended
}

// kinds are the operations that begin or end a machine's life.
var kinds = map[string]struct{ kind, reason string }{
	"insert":                             {traces.KindLaunch, traces.ReasonUnknown},
	"start":                              {traces.KindLaunch, traces.ReasonUnknown},
	"resume":                             {traces.KindLaunch, traces.ReasonUnknown},
	"compute.instances.automaticRestart": {traces.KindLaunch, traces.ReasonUnknown},
	"compute.instances.preempted":        {traces.KindPreempt, traces.ReasonCapacity},
	"stop":                               {traces.KindTerminate, traces.ReasonUser},
	"suspend":                            {traces.KindTerminate, traces.ReasonUser},
	"delete":                             {traces.KindTerminate, traces.ReasonUser},
	"compute.instances.guestTerminate":   {traces.KindTerminate, traces.ReasonUser},
	"compute.instances.hostError":        {traces.KindTerminate, traces.ReasonHostError},
}

// pendingEvent is a launch that was not done when it was listed.
type pendingEvent struct {
	e    traces.InstanceEventRow
	pool traces.Pool
	what string
}
