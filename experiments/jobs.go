package experiments

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// keeper returns what takes the rows of the jobs of a run: they are in the order of their numbers in a record, and
// handed on as the jobs end in one without a timeline if somebody wants them.
func (s *Study) keeper(out *record, jobs int, timeline bool) func(*results.Job) error {
	if !timeline && s.JobRow != nil {
		return s.JobRow
	}
	out.rows = &results.Set{Jobs: make([]results.Job, jobs)}
	return func(r *results.Job) error {
		out.rows.Jobs[r.Number] = *r
		return nil
	}
}

// KeepJobs has the rows of jobs kept that files of results have, or handed to row as the jobs end where they may be
// very many.
func (s *Study) KeepJobs(row func(*results.Job) error) { s.work.keepJobs(row) }

// start begins a run in a world. A policy that knows the future is told it.
func start(world *sim.World, policy sim.Policy, config sim.Config) error {
	if oracle, is := policy.(policies.Oracle); is {
		oracle.SetMarket(config.Market)
	}
	if oracle, is := policy.(policies.RunOracle); is {
		if err := oracle.SetRun(config); err != nil {
			return err
		}
	}
	return world.Reset(config)
}

// jobTally counts what becomes of the jobs of a run, be they one or many, each as it ends. It keeps a few numbers a
// job, not the jobs. It is a sim.JobRecorder, and is used for one run after the other.
type jobTally struct {
	label  label
	groups []serverGroup
	spans  timeline   // of the run, if it has one
	gangs  bool       // the jobs are, as those of a run of many
	layout sim.Layout // scratch

	start   sim.Time
	known   map[int]*tallied // jobs that are coming or there, by number
	spare   []*tallied
	events  []tallyEvent // scratch
	row     results.Job
	emit    func(*results.Job) error // of each row, which is valid during the call; nil: nobody
	err     error                    // of emit
	present int                      // jobs that are there
	area    float64                  // job-seconds until now
	now     sim.Time

	jct, queue, fairness, done           []float64 // by number; NaN: none
	late                                 []float64 // s, of jobs with a deadline
	jobsDone, deadlines                  int64
	punctual                             int64
	suspensions, stopped, moves, resizes int64
	dropped                              int64         // jobs that were left out
	finish                               time.Duration // the last, from the start of the run
	finishS                              float64       // the same
	activities                           [sim.Activities]sim.MachineTime
}

// tallied is a job that is not over.
type tallied struct {
	job  workload.Job
	area float64 // of the tally when it was submitted
}

// begin readies the tally for a run of n jobs.
func (t *jobTally) begin(l label, c *sim.Config, jobs int) {
	if t.known == nil {
		t.known = map[int]*tallied{}
		t.layout = sim.Layout{Pools: make([]int32, 1), Workers: make([]int32, 1)}
	}
	clear(t.known)
	*t = jobTally{
		label:    l,
		start:    c.Start,
		now:      c.Start,
		known:    t.known,
		spare:    t.spare,
		layout:   t.layout,
		events:   t.events,
		jct:      noNumbers(t.jct, jobs),
		queue:    noNumbers(t.queue, jobs),
		fairness: noNumbers(t.fairness, jobs),
		done:     noNumbers(t.done, jobs),
		late:     t.late[:0],
	}
}

// noNumbers returns n times NaN, in the memory of a list.
func noNumbers(list []float64, n int) []float64 {
	list = slices.Grow(list[:0], n)[:n]
	for i := range list {
		list[i] = math.NaN()
	}
	return list
}

// meet notes a job that comes.
func (t *jobTally) meet(number int, j *workload.Job) {
	var x *tallied
	if last := len(t.spare) - 1; last >= 0 {
		x = t.spare[last]
		t.spare = t.spare[:last]
	} else {
		x = new(tallied)
	}
	x.job = *j
	t.known[number] = x
}

// Job implements sim.JobRecorder.
func (t *jobTally) Job(now sim.Time, number int, what sim.JobEvent) {
	if what == sim.JobSubmitted {
		t.submitted(now, number)
	}
}

func (t *jobTally) submitted(now sim.Time, number int) {
	t.advance(now)
	t.known[number].area = t.area
	t.present++
}

// advance counts the jobs until an instant.
func (t *jobTally) advance(now sim.Time) {
	t.area += float64(t.present) * now.Sub(t.now).Seconds()
	t.now = now
}

// Ended implements sim.JobRecorder.
func (t *jobTally) Ended(number int, job *sim.Job, x *sim.JobTotals) {
	of := t.known[number]
	t.advance(max(t.start.Add(job.Submit+x.Elapsed), t.now))
	t.present--
	t.fill(number, &of.job, x)
	if x.Finished {
		t.finished(number, of.area, x.Elapsed, job)
	}
	t.give(number, x)
	t.spare = append(t.spare, of)
	delete(t.known, number)
}

// fill fills the row of a job.
func (t *jobTally) fill(number int, of *workload.Job, x *sim.JobTotals) {
	t.row = results.Job{
		Run:         t.label.run,
		Policy:      t.label.policy,
		Seed:        t.label.seed,
		Number:      int64(number),
		ID:          of.ID,
		Kind:        of.Kind,
		User:        of.User,
		VC:          of.VC,
		GPUs:        int32(of.GPUs),
		MinGPUs:     int32(cmp.Or(of.Least, of.GPUs)),
		MaxGPUs:     int32(cmp.Or(of.Most, of.GPUs)),
		Weight:      of.Weight,
		SubmitS:     of.Submit.Seconds(),
		Done:        x.Done,
		Suspensions: x.Suspensions,
		Preemptions: x.Preemptions,
		Moves:       x.Moves,
		Resizes:     x.Resizes,
		CostUSD:     x.Bill.Total(),
		MovesUSD:    x.Bill.Transfers,
	}
	t.fillTimes(x)
	if of.Deadline <= 0 {
		return
	}
	met := x.Finished && x.Elapsed <= of.Deadline
	t.row.DeadlineS = new(of.Deadline.Seconds())
	t.row.DeadlineMet = &met
	t.deadlines++
	t.late = append(t.late, max((x.Elapsed-of.Deadline).Seconds(), 0))
	if met {
		t.punctual++
	}
}

// fillTimes fills when a job trained and waited, and its GPU-hours. A gang says so; of another job the spans do, and
// nobody says how many GPUs its instances have.
func (t *jobTally) fillTimes(x *sim.JobTotals) {
	r := &t.row
	if !t.gangs {
		if t.spans != nil {
			t.spans.fillTimes(r)
		}
		return
	}
	r.QueueS = new(x.Waited.Seconds())
	r.GPUH = new(x.InstanceTime.Hours())
	r.UsefulH = new(x.Activities[sim.Useful].Hours())
	r.LostH = new(x.Activities[sim.Redone].Hours())
	if x.Started >= 0 {
		r.StartS = new(r.SubmitS + x.Started.Seconds())
	}
}

// give counts the row, and hands it on.
func (t *jobTally) give(number int, x *sim.JobTotals) {
	t.done[number] = t.row.Done
	if t.row.QueueS != nil {
		t.queue[number] = *t.row.QueueS
	}
	t.suspensions += x.Suspensions
	t.stopped += x.Preemptions
	t.moves += x.Moves
	t.resizes += x.Resizes
	for a, span := range x.Activities {
		t.activities[a] += span // whole microseconds: the order of the jobs does not change the sum
	}
	if t.emit != nil && t.err == nil {
		t.err = t.emit(&t.row)
	}
}

// finished notes that a job was done.
func (t *jobTally) finished(number int, area float64, elapsed time.Duration, job *sim.Job) {
	jct := elapsed.Seconds()
	finish := t.row.SubmitS + jct
	t.row.FinishS = &finish
	t.row.JCTS = &jct
	t.jct[number] = jct
	t.finishS = max(t.finishS, finish)
	t.finish = max(t.finish, job.Submit+elapsed)
	t.jobsDone++
	if model, gang := job.Model.(sim.GangModel); gang && len(t.groups) > 0 && jct > 0 {
		t.noteFairness(number, jct, (t.area-area)/jct, model)
	}
}

// noteFairness notes how fairly a job was treated: its completion time by that which it would have had with an equal
// part of the servers, of the mean number of jobs that were there with it.
func (t *jobTally) noteFairness(number int, jct, jobs float64, model sim.GangModel) {
	whole, speed := 0.0, 0.0
	for _, g := range t.groups {
		t.layout.Pools[0] = g.first
		t.layout.Workers[0] = int32(model.Gang())
		part := g.gpus / (jobs * float64(model.Gang()))
		whole += part
		speed += part * model.Rate(&t.layout).Progress
	}
	speed /= max(whole, 1)
	if ftf := jct * speed / model.Work(); speed > 0 && !math.IsInf(ftf, 0) {
		t.row.FTF = &ftf
		t.fairness[number] = ftf
	}
}

// tallyEvent is the beginning of a job, or its end.
type tallyEvent struct {
	at  time.Duration
	end int // 1: it ended
	job int
}

// replay tells the tally what became of the jobs of a run that told nobody while it ran.
func (t *jobTally) replay(jobs []sim.Job, totals *sim.Totals) {
	t.events = t.events[:0]
	for j := range jobs {
		if at := jobs[j].Submit; at <= totals.End.Sub(t.start) {
			t.events = append(t.events, tallyEvent{at, 0, j}, tallyEvent{at + totals.Jobs[j].Elapsed, 1, j})
		}
	}
	slices.SortFunc(t.events, func(a, b tallyEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.end, b.end), cmp.Compare(a.job, b.job))
	})
	for _, e := range t.events {
		if e.end == 0 {
			t.submitted(t.start.Add(e.at), e.job)
		} else {
			t.Ended(e.job, &jobs[e.job], &totals.Jobs[e.job])
		}
	}
}

// close counts the jobs that never came.
func (t *jobTally) close(jobs runJobs) error {
	if !slices.ContainsFunc(t.done, math.IsNaN) {
		return t.err
	}
	none := sim.JobTotals{Started: -1}
	err := jobs.each(func(number int, j *workload.Job) {
		if math.IsNaN(t.done[number]) {
			t.fill(number, j, &none)
			t.give(number, &none)
		}
	})
	return cmp.Or(t.err, err)
}
