package claims

// procedures by the name that a spec gives.
var procedures = map[string]Procedure{
	"spotdnn-iterations":    spotdnnIterations,
	"sync-order-statistics": syncOrderStatistics,
	"sync-stragglers":       syncStragglers,
	"sync-switch":           syncSwitch,
	"waiting-closed-forms":  waitingClosedForms,
	"waiting-simulated":     waitingSimulated,
}
