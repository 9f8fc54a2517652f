// Package tune finds settings of a policy: the cheapest that meet an objective in a share
// of the runs.
//
//	r, err := tune.Find(ctx, tune.Question{Spec: "quickstart", Policy: "spotdnn-safe",
//		Objective: "loss-0.54-in-6h", Set: []string{"policy.reserve_s=60,300"}, Share: 0.95, Within: 0.02}, tune.Options{})
//
// Settings are a grid of values, all of which race against each other (package racing), or
// ranges, of which CMA-ES first finds some good ones. Each block of the race is a seed or,
// on a recorded market, a start in it; blocks of a search, of a race and of the proof of a
// winner are different ones, so that those that chose do not certify. On a recorded market
// the part train of the trace chooses and the part judge proves (spec.WindowOf).
//
// What it does depends on the question alone, not on how many cores there are. With a
// folder, runs are kept in chunks there, as those of a sweep are, and what was interrupted
// goes on where it was:
//
//	tune.json                        the question, and a hash of all that results depend on
//	plan=HASH12/part-000000.parquet  a chunk
//	result.json, winner.yaml         the answer
package tune
