// Package sim simulates training jobs on cloud capacity that comes and goes. A World
// replays a Market (traces of prices and of capacity) under a Policy, and its
// Totals say what each job and each pool cost, what the instances did with their
// time, and whether the job met its objective.
//
//	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p, Seed: 1})
//	totals := w.Run()
//
// # Where to start
//
// What you give a run is in Config:
//   - Market: made by NewMarket from a Trace for each Pool. Package traces/replay
//     makes one from recorded data.
//   - Job: a Model (how fast it trains on a Layout, what a Change of it costs) and an
//     Objective. Packages calibrate/ps and calibrate/pipeline have models of real
//     systems.
//   - Policy: what to hold, decided from a View and written into a Plan. Package
//     policies has published ones. To write your own, read Policy, View and JobPlan,
//     and run simtest.Suite on it.
//   - Recorder: receives every span and decision, for timelines; nil keeps totals only.
//
// What comes out is Totals. World.Reset makes the next run without new memory, and
// World.Fork copies a run that goes on by itself. The example runs as it stands.
//
// # Time
//
// An instant is a Time, whole microseconds since the trace began; a span is a
// time.Duration. A run begins at Config.Start and ends when its last job finishes,
// at the horizon, or where the market's observation ends.
//
// # What happens at one instant
//
// The order is fixed: first the market's records (machines that come, capacity,
// machines that go, notices, prices; those of one kind in the order of pools), then
// instances, by slot, then jobs, then the policy's own timer. When everything at the
// instant is applied, waiting requests are granted, in the order of pools and jobs,
// and every job is laid out on the instances that are ready. Then the policy is
// asked, once, about the settled world. Its plan takes effect at the same instant. It
// is asked again at that instant if it says so (Plan.AskAgain), or if an instance
// that it asks for comes under notice at once.
//
// # Instances
//
// An instance is asked for by the plan, waits while there is no capacity or quota, is
// granted, starts (Boot), is ready, and ends by release or by revocation. A recorded
// fall of capacity, or the removal of a recorded machine, is the instant at which
// instances are gone: the notice comes Pool.Notice earlier. An instance that is
// granted within that time of a fall is under notice from its first moment.
//
// # Rates, not ticks
//
// Between two changes of its layout a job advances at a constant Rate, and instances
// are paid by the integral of their price; nothing happens per step or per price
// record. Waking a policy for nothing changes no number.
//
// # Chief
//
// The oldest ready instance of a job is its chief. The model is notified of its loss,
// which may end the job (Pause.Fatal): the job gives everything back and is billed
// until then.
//
// # Random numbers
//
// Every random number is named by its purpose, an entity and an ordinal (Rand), so
// that two policies under one seed meet the same boot times, notices and victims:
// common random numbers. The entity of a pool is its name: a pool more or less moves
// nothing in the others.
//
// # What a policy knows
//
// A View: prices until now, its own requests and instances, notices, quotas, models.
// Not capacity, not the future. A Policy that is given the Market has to declare
// itself an oracle (Traits.KnowsFuture).
//
// # Many jobs
//
// What a decision costs follows the jobs that are submitted and not done, not all
// jobs of the run: View.ActiveJobs.
package sim
