// Package sim is a simulated world of training jobs on cloud capacity that
// comes and goes. A World replays a Market (histories of prices and capacity)
// under a Policy and keeps the books: dollars, instance time by activity,
// progress.
//
//	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p, Seed: 1})
//	totals := w.Run()
//
// # Time
//
// An instant is a Time, whole microseconds since the history began; a span is a
// time.Duration. A run begins at Config.Start and ends when its last job
// finishes, at the horizon, or where the market's observation ends.
//
// # What happens at one instant
//
// First the market's records (machines that come, capacity, machines that go,
// notices, prices; those of one kind in the order of pools), then instances, by
// slot, then jobs, then the policy's own timer. When everything at the instant
// is applied, requests that wait are granted, in the order of pools and jobs,
// and every job is laid out on what is ready. Then the policy is asked, once,
// about the settled world. What it wants takes effect at the same instant. It is
// asked again at that instant if it says so (Plan.AskAgain), or if an instance that
// it asks for comes under notice at once.
//
// # Instances
//
// An instance is asked for by the plan, waits while there is no capacity or
// quota, is granted, starts (Boot), is ready, and ends by release or by
// revocation. A recorded fall of capacity, or the removal of a recorded
// machine, is the instant at which instances are gone: the notice comes
// Pool.Notice earlier. An instance that is granted within that time of a fall
// is under notice from its first moment.
//
// # Rates, not ticks
//
// Between two changes of its layout a job advances at a constant rate, and what
// is held is paid by the integral of its price; nothing happens per step or per
// price record. A policy that wakes for nothing changes no number.
//
// # Chief
//
// The oldest ready instance of a job is its chief. Its loss is told to the model,
// which may end the job (Pause.Fatal): it gives everything back and is billed
// until then.
//
// # Luck
//
// Every draw is named by its purpose, whom it is for and an ordinal (Rand), so
// that two policies under one seed meet the same luck.
//
// # What a policy knows
//
// A View: prices until now, its own requests and instances, notices, quotas,
// models. Not capacity, not the future. A Policy that is handed the Market is
// to declare itself an Oracle.
package sim
