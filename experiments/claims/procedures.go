package claims

// procedures by the name that a spec gives.
var procedures = map[string]Procedure{
	"spotdnn-convergence": spotdnnConvergence,
	"spotdnn-episode":     spotdnnEpisode,
	"spotdnn-headline":    spotdnnHeadline,
	"spotdnn-iterations":  spotdnnIterations,
	"spotdnn-mixed":       spotdnnMixed,
	"spotdnn-planning":    spotdnnPlanning,
	"spotdnn-plans":       spotdnnPlans,
	"spotdnn-scaling":     spotdnnScaling,
}
