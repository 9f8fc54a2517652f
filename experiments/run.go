package experiments

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/internal/parallel"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/sim"
)

// Run runs everything, a goroutine a core, and returns the rows in the order of
// the runs: they do not depend on how many goroutines there are. It stops early
// when ctx is done.
func (s *Study) Run(ctx context.Context) (*results.Set, error) {
	return s.RunPart(ctx, 0, 1)
}

// RunPart is Run for a part of n, counted from 0: every of-th point, so that several processes can share the
// work. Rows are numbered as Run numbers them, and those of all parts, by their numbers, are those of Run.
func (s *Study) RunPart(ctx context.Context, part, of int) (*results.Set, error) {
	if part < 0 || part >= of {
		panic(fmt.Sprintf("experiments: part %d of %d", part, of))
	}
	records := make([]record, s.Runs())
	var spilled spill
	defer spilled.close()
	var done atomic.Int64
	cores, points := runtime.GOMAXPROCS(0), (s.Points()+of-1-part)/of
	err := parallel.Each(ctx, cores, points, func(_ context.Context, numbers iter.Seq[int]) (err error) {
		Batch(s, (points+cores-1)/cores, func(w *Worker) {
			for k := range numbers {
				if failed := guarded(func() error { return w.point(part+of*k, records, &spilled) }); failed != nil || err != nil {
					err = cmp.Or(err, failed)
					return
				}
				if s.Progress != nil {
					each := s.Runs() / s.Points()
					s.Progress(int(done.Add(int64(each))), s.Runs())
				}
			}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	var some []record
	for run := range records {
		if run%s.Points()%of != part {
			continue
		}
		some = append(some, records[run])
		if err := s.tell(int64(run), &records[run], &spilled); err != nil {
			return nil, err
		}
	}
	return gather(some), nil
}

// tell gives the rows of a run to whoever asked for them.
func (s *Study) tell(run int64, r *record, spilled *spill) (err error) {
	if s.Rows == nil {
		return nil
	}
	rows := r.rows
	if rows == nil {
		rows, err = spilled.get(run)
	}
	if err != nil || rows == nil {
		return err
	}
	return s.Rows(rows)
}

// guarded turns a panic, of a policy for instance, into an error: users of a study
// need a message, not a stack.
func guarded(work func() error) (err error) {
	defer func() {
		x := recover()
		if failure := plugin.Fault(x); failure != nil {
			err = failure
		} else if x != nil {
			err = fmt.Errorf("bug in marigram or in a policy, please report it with the spec: %v", x)
		}
	}()
	return work()
}

// Batch calls work with a worker on this goroutine and, where policies of one's own can be asked for several runs in one
// message, with more, in turn, up to n: each goes on until a policy is asked. Each does piece after piece until nothing
// is left. What the runs come to does not depend on how many there are.
func Batch(s *Study, largest int, work func(*Worker)) {
	var first *Worker
	slots := func() int { return min(largest, first.Slots()) }
	new(plugin.Batch).Run(slots, func(l *plugin.Slot) {
		w := s.WorkerIn(l)
		if first == nil {
			first = w
		}
		defer w.Close()
		work(w)
	})
}

// maxHeld bounds what the worlds and markets of a batch hold, in records and instances: about 100 MB.
const maxHeld = 1 << 20

// Lanes returns how many runs like the present one there is memory for at one time; 1 where no policy is one of the user's own,
// since nothing would be gained.
func (w *Worker) Slots() int {
	s := w.study
	if s.work != nil || !s.Spec.HasPlugins() || w.market == nil {
		return 1
	}
	held := 0
	for p := range w.market.Pools() {
		held += w.market.Pool(p).Quota
	}
	if w.market != s.Markets.Shared() {
		held += w.market.Records()
	}
	return min(plugin.Slots, max(maxHeld/max(held, 1), 1))
}

// Runs are runs without a spec: what it would name is made in Go. Every objective is run under every policy and
// every seed.
type Runs struct {
	Name       string // of the study, in results
	Market     *sim.Market
	Job        sim.Job // its Model and servers; Objectives take the place of its objective
	Objectives []sim.Objective
	Policies   []sim.Policy // for one goroutine, as Rows is
	Seed       int64        // the first
	Seeds      int          // 0 means 1

	Horizon time.Duration // after which a run is cut; 0 means three times the objective's time
	Billing *sim.Billing  // nil means sim.PerSecond
}

// Rows runs everything and returns the rows of summary.parquet, in the order of objectives, policies and seeds. The
// same inputs give the same rows. It panics on what a caller should not leave out: a market, a model,
// objectives and policies.
func (r *Runs) Rows(ctx context.Context) (rows []results.Summary, err error) {
	if r.Market == nil || r.Job.Model == nil || len(r.Objectives) == 0 || len(r.Policies) == 0 {
		panic("experiments: Runs without a market, a model, objectives or policies")
	}
	study := &Study{Markets: &market.Markets{Name: r.Name, Unit: results.ByStart}, warnings: make([][len(outcomes)]string, len(r.Policies))}
	var world sim.World
	var tally jobTally
	for _, o := range r.Objectives {
		for p, policy := range r.Policies {
			for k := range max(r.Seeds, 1) {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				config := r.config(o, policy, r.Seed+int64(k))
				l := label{run: int64(len(rows)), policy: policy.Name(), scenario: r.Name, objective: objectiveName(o), seed: r.Seed + int64(k)}
				err := guarded(func() error {
					if err := start(&world, policy, config); err != nil {
						return err
					}
					tally.begin(l, &config, 1)
					tally.meet(0, &workload.Job{ID: l.objective})
					totals := world.Run()
					tally.replay(config.Jobs, totals)
					rows = append(rows, study.summary(totals, &config, &tally, &spec.Objective{}, p))
					return nil
				})
				if err != nil {
					return nil, fmt.Errorf("policy %s, seed %d: %w", policy.Name(), config.Seed, err)
				}
			}
		}
	}
	return rows, nil
}

func (r *Runs) config(o sim.Objective, policy sim.Policy, seed int64) sim.Config {
	job := r.Job
	job.Objective = o
	c := sim.Config{Market: r.Market, Jobs: []sim.Job{job}, Policy: policy, Seed: uint64(seed), Horizon: r.Horizon, Billing: sim.PerSecond()}
	if c.Horizon == 0 {
		c.Horizon = 3 * o.Within
	}
	if r.Billing != nil {
		c.Billing = *r.Billing
	}
	return c
}

// objectiveName is what an objective is called that has no name.
func objectiveName(o sim.Objective) string {
	within := fmt.Sprintf("%vs", o.Within.Seconds())
	if o.Within%time.Minute == 0 {
		within = fmt.Sprintf("%vmin", o.Within.Minutes())
	}
	if o.Within%time.Hour == 0 {
		within = fmt.Sprintf("%vh", o.Within.Hours())
	}
	if o.Loss == 0 {
		return "all-in-" + within
	}
	return fmt.Sprintf("loss-%v-in-%s", o.Loss, within)
}
