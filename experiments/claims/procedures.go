package claims

// procedures by the name that a spec gives.
var procedures = map[string]Procedure{
	"bamboo-replays":       bambooReplays,
	"bamboo-table":         bambooTable,
	"checkpoint-intervals": checkpointIntervals,
	"checkpoint-wall":      checkpointWallTime,
	"deadline-rows":        deadlineRows,
	"oobleck-fig10":        oobleckFig10,
	"oobleck-fig11":        oobleckFig11,
	"oobleck-planning":     oobleckPlanning,
	"oobleck-table2":       oobleckTable2,
	"spotdnn-iterations":   spotdnnIterations,
	"varuna-table2":        varunaTable2,
}
