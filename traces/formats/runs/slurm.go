package runs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// life is one time that a job ran, us; 0: it has not been yet.
type life struct {
	job, state, partition string
	submit, start, end    int64
	nodes                 []string
	line                  int32
}

func readSacct(in *input) error {
	var lifetimes []life
	err := in.table("|", []string{"JobIDRaw", "State", "Submit", "Start", "End", "NodeList"}, func(r *record) error {
		job := r.text("JobIDRaw")
		if job, _, step := strings.Cut(job, "."); step || !in.Wanted(job) { // 12.batch is a part of the job
			return nil
		}
		l := life{job: strings.Clone(job), state: strings.Clone(r.text("State")), line: int32(r.line)}
		var err error
		if l.partition, err = r.name("Partition"); err != nil {
			return err
		}
		for _, x := range []struct {
			field string
			at    *int64
		}{{"Submit", &l.submit}, {"Start", &l.start}, {"End", &l.end}} {
			if text := r.text(x.field); text == "Unknown" || text == "None" || text == "" {
				continue
			}
			if *x.at, err = r.instant(x.field); err != nil {
				return err
			}
		}
		if l.nodes, err = r.nodes("NodeList"); err == nil {
			lifetimes = append(lifetimes, l)
		}
		return err
	})
	return in.live(lifetimes, err)
}

// nodes is a field with a list of nodes.
func (r *record) nodes(field string) ([]string, error) {
	text := r.text(field)
	if text == "None assigned" || text == "" {
		return nil, nil
	}
	list, err := nodes(text)
	if err != nil {
		return nil, r.errorf(field, "%s %s, %v", field, read.Quote(text), err)
	}
	for _, name := range list {
		if err := read.CheckName(name); err != nil {
			return nil, r.errorf(field, "%s names %s, %v", field, read.Quote(name), err)
		}
	}
	return list, nil
}

// isSlurmJSON reports whether a record is a job of Slurm's.
func isSlurmJSON(r *record) bool {
	return r != nil && r.has("job_id") && (r.has("time.start") || r.has("time.start.number"))
}

func readSlurmJSON(in *input) error {
	var lifetimes []life
	skip := func(path string) bool {
		return path == "steps" || path == "meta" || path == "tres" || path == "associations"
	}
	err := in.objects([]string{"jobs"}, skip, func(r *record) error {
		if !isSlurmJSON(r) {
			return nil
		}
		job := r.text("job_id")
		if !in.Wanted(job) {
			return nil
		}
		l := life{job: job, state: r.text(r.first("state.current.0", "state.current", "state.0", "state")), line: int32(r.line)}
		var err error
		if l.partition, err = r.name("partition"); err != nil {
			return err
		}
		for _, x := range []struct {
			field string
			at    *int64
		}{{"time.submission", &l.submit}, {"time.start", &l.start}, {"time.end", &l.end}} {
			field := r.first(x.field, x.field+".number")
			if !r.has(field) {
				continue
			}
			if *x.at, err = r.instant(field); err != nil {
				return err
			}
		}
		if l.nodes, err = r.nodes("nodes"); err == nil {
			lifetimes = append(lifetimes, l)
		}
		return err
	})
	return in.live(lifetimes, err)
}

// live adds the events of a job's lives.
func (in *input) live(lifetimes []life, err error) error {
	if err != nil || in.SeveralJobs() {
		return err
	}
	slices.SortStableFunc(lifetimes, func(a, b life) int { return cmp.Compare(a.start, b.start) })
	in.Events = lifeEvents(lifetimes)
	for _, l := range lifetimes {
		if strings.HasPrefix(l.state, "NODE_FAIL") {
			in.Note("which node failed is not recorded: all nodes of the job count as failed")
		}
	}
	return nil
}

// endOf says what becomes of the nodes in a state, and of the run if it was the last life.
func endOf(state string) (of, run ownruns.Kind) {
	state, _, _ = strings.Cut(state, " ") // CANCELLED by 1000
	switch state {
	case "PREEMPTED":
		return ownruns.Preempted, ownruns.None
	case "NODE_FAIL":
		return ownruns.Failed, ownruns.None
	case "REQUEUED":
		return ownruns.Terminated, ownruns.None
	case "COMPLETED":
		return ownruns.Released, ownruns.End
	}
	return ownruns.Released, ownruns.Aborted
}

// lifeEvents are the events of the lives of a job, in order.
func lifeEvents(lifetimes []life) (out []ownruns.Event) {
	began := 0
	for i, l := range lifetimes {
		add := func(e ownruns.Event) {
			e.Line = l.line
			out = append(out, e)
		}
		if l.submit > 0 && i == 0 {
			add(ownruns.NewEvent(l.submit, ownruns.Start))
		}
		if l.start == 0 {
			continue
		}
		for _, n := range l.nodes {
			add(ownruns.MachineEvent(l.start, ownruns.Ready, n, l.partition))
		}
		if began++; began > 1 {
			add(ownruns.NewEvent(l.start, ownruns.Restart))
		}
		if l.end < l.start || l.end == 0 {
			continue
		}
		of, run := endOf(l.state)
		for _, n := range l.nodes {
			add(ownruns.MachineEvent(l.end, of, n, l.partition))
		}
		if run != ownruns.None && i == len(lifetimes)-1 {
			add(ownruns.NewEvent(l.end, run))
		}
	}
	return out
}
