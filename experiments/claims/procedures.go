package claims

// procedures by the name that a spec gives.
var procedures = map[string]Procedure{
	"spotdnn-iterations": spotdnnIterations,
	"stash-shapes":       stashShapes,
	"stash-stalls":       stashStalls,
}
