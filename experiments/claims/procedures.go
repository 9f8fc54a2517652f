package claims

// procedures by the name that a spec gives.
var procedures = map[string]Procedure{
	"cmdare-checkpoint":     cmdareCheckpoint,
	"cmdare-distance":       cmdareDistance,
	"cmdare-lifetimes":      cmdareLifetimes,
	"cmdare-remaining":      cmdareRemaining,
	"cmdare-rollback":       cmdareRollback,
	"cmdare-scores":         cmdareScores,
	"cmdare-speeds":         cmdareSpeeds,
	"cmdare-startup":        cmdareStartup,
	"icac19-costs":          icac19Costs,
	"icac19-headline":       icac19Headline,
	"icac19-lifetimes":      icac19Lifetimes,
	"icac19-revocations":    icac19Revocations,
	"icac19-speeds":         icac19Speeds,
	"spotdnn-iterations":    spotdnnIterations,
	"stash-shapes":          stashShapes,
	"stash-stalls":          stashStalls,
	"sync-order-statistics": syncOrderStatistics,
	"sync-stragglers":       syncStragglers,
	"sync-switch":           syncSwitch,
	"waiting-closed-forms":  waitingClosedForms,
	"waiting-simulated":     waitingSimulated,
}
