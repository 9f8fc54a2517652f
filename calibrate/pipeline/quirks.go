package pipeline

// ParcaeQuirks are errors of Parcae's public code (JF-D/Parcae at efedee7) that its
// results contain. Without any, what the paper says is done. What each is worth:
// DEVIATIONS.md.
type ParcaeQuirks struct {
	// LastStageOnly charges a pipeline migration for the parameters that the last
	// stage with a survivor misses, not for those of all stages.
	LastStageOnly bool
	// IdleRegroup rebuilds the groups after preemptions of instances that had no place.
	IdleRegroup bool
	// DropRemainder drops what is left of a migration that another interrupts, for
	// a restart more. Otherwise it is still to be paid.
	DropRemainder bool
	// StickyPenalties keeps a penalty of the forecaster for all later forecasts.
	StickyPenalties bool
}

// ParcaeAsPublished returns all of them: the public code.
func ParcaeAsPublished() ParcaeQuirks {
	return ParcaeQuirks{LastStageOnly: true, IdleRegroup: true, DropRemainder: true, StickyPenalties: true}
}

// Forecaster returns the name of Parcae's forecaster.
func (q ParcaeQuirks) Forecaster() string {
	if q.StickyPenalties {
		return "parcae-sticky"
	}
	return "parcae"
}
