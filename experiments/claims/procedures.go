package claims

// procedures by the name that a spec gives.
var procedures = map[string]Procedure{
	"bamboo-replays":     bambooReplays,
	"bamboo-table":       bambooTable,
	"spotdnn-iterations": spotdnnIterations,
}
