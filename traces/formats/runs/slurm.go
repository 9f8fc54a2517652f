package runs

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces/formats"
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

// isSacct reports whether the first line names the columns.
func isSacct(s *read.Source) bool {
	header := strings.Split(s.FirstLine(), "|")
	for _, name := range []string{"JobIDRaw", "State", "Start", "End"} {
		if !slices.Contains(header, name) {
			return false
		}
	}
	return true
}

func readSacct(in *formats.RunFile) error {
	var lives []life
	for r := range in.SplitTable("|", "JobIDRaw", "State", "Submit", "Start", "End", "NodeList") {
		job, _, step := strings.Cut(r.Text("JobIDRaw"), ".") // 12.batch is a part of the job
		if r.Err == nil && (step || !in.Wanted(job)) {
			continue
		}
		l := life{job: strings.Clone(job), state: strings.Clone(r.Text("State")), line: int32(r.Line)}
		l.read(in, r, "Partition", "NodeList", "Submit", "Start", "End")
		if r.Err != nil {
			return r.Err
		}
		lives = append(lives, l)
	}
	addLives(in, lives)
	return nil
}

// read reads the fields of a life that have these names.
func (l *life) read(in *formats.RunFile, r *read.Row, partition, nodes, submit, start, end string) {
	l.partition = nameIn(r, partition)
	for _, x := range []struct {
		field string
		at    *int64
	}{{submit, &l.submit}, {start, &l.start}, {end, &l.end}} {
		if text := r.Text(x.field); text != "" && text != "Unknown" && text != "None" {
			*x.at = instantIn(in, r, x.field)
		}
	}
	l.nodes = read.Field(r, nodes, parseNodes)
}

// parseNodes reads a list of nodes, which may be empty.
func parseNodes(text string) ([]string, error) {
	if text == "None assigned" || text == "" {
		return nil, nil
	}
	list, err := nodes(text)
	if err != nil {
		return nil, err
	}
	for _, name := range list {
		if err := read.CheckName(name); err != nil {
			return nil, fmt.Errorf("names %s, %w", read.Quote(name), err)
		}
	}
	return list, nil
}

// isSlurmJSON reports whether a record is a job of Slurm's.
func isSlurmJSON(r *read.Row) bool {
	return r != nil && r.Has("job_id") && (r.Has("time.start") || r.Has("time.start.number"))
}

func readSlurmJSON(in *formats.RunFile) error {
	var lives []life
	skip := func(path string) bool {
		return path == "steps" || path == "meta" || path == "tres" || path == "associations"
	}
	for r := range objects(in.Source, []string{"jobs"}, skip) {
		job := r.Text("job_id")
		if r.Err == nil && (!isSlurmJSON(r) || !in.Wanted(job)) {
			continue
		}
		state := r.Text(r.First("state.current.0", "state.current", "state.0", "state"))
		l := life{job: job, state: state, line: int32(r.Line)}
		time := func(field string) string { return r.First(field, field+".number") }
		l.read(in, r, "partition", "nodes", time("time.submission"), time("time.start"), time("time.end"))
		if r.Err != nil {
			return r.Err
		}
		lives = append(lives, l)
	}
	addLives(in, lives)
	return nil
}

// addLives adds the events of a job's lives, unless several jobs are mixed.
func addLives(in *formats.RunFile, lives []life) {
	if in.SeveralJobs() {
		return
	}
	slices.SortStableFunc(lives, func(a, b life) int { return cmp.Compare(a.start, b.start) })
	in.Events = lifeEvents(lives)
	for _, l := range lives {
		if strings.HasPrefix(l.state, "NODE_FAIL") {
			in.Note("which node failed is not recorded: all nodes of the job count as failed")
		}
	}
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
func lifeEvents(lives []life) (out []ownruns.Event) {
	began := 0
	for i, l := range lives {
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
		if run != ownruns.None && i == len(lives)-1 {
			add(ownruns.NewEvent(l.end, run))
		}
	}
	return out
}

func init() {
	const what = "each life of a requeued job, with its nodes and how it ended (PREEMPTED, NODE_FAIL, REQUEUED, " +
		"COMPLETED, ...). Which of the nodes failed is not in it: all of them count as failed; the partition counts " +
		"as the zone"
	const lost = "when nodes were ready, warnings, instance types, nodes that came or went within a life, steps, " +
		"parts of seconds"
	formats.Register(formats.Format{
		Name: "slurm-sacct",
		Kind: formats.Run,
		What: "`sacct -P -D` of Slurm: " + what +
			". Its times are of the cluster's clock, whose zone --time-zone names",
		Example: "JobIDRaw|JobName|Partition|State|Submit|Start|End|ElapsedRaw|NNodes|NodeList|Restarts|Reason\n" +
			"7|train|spot|PREEMPTED|2026-01-02T00:00:00|2026-01-02T00:01:00|2026-01-02T01:00:00|" +
			"3540|2|gpu[08-09]|0|None",
		Recognise: isSacct,
		Records: &formats.Records{
			Command: "TZ=UTC sacct -P -D -j JOB " +
				"--format=JobIDRaw,JobName,Partition,State,Submit,Start,End,ElapsedRaw," +
				"NNodes,NodeList,Restarts,Reason > sacct.txt",
			From:  fromMemory,
			Lost:  lost,
			Read:  readSacct,
			Keep:  keepLives,
			Write: writeSacct,
		},
	}, formats.Format{
		Name: "slurm-json",
		Kind: formats.Run,
		What: "`sacct -D --json` of Slurm: " + what,
		Example: `{"jobs": [{"job_id": 7, "partition": "spot", "nodes": "gpu[08-09]", ` +
			`"state": {"current": ["PREEMPTED"]}, "time": ` +
			`{"submission": 1767312000, "start": 1767312060, "end": 1767315600}}]}`,
		Recognise: func(s *read.Source) bool { return isSlurmJSON(firstObject(s, "jobs")) },
		Records: &formats.Records{
			Command: "sacct -D --json -j JOB > sacct.json",
			From:    fromMemory,
			Lost:    lost,
			Read:    readSlurmJSON,
			Keep:    keepLives,
			Write:   writeSlurmJSON,
		},
	})
}

// lifeStates are the states of a life by how its nodes went.
var lifeStates = map[ownruns.Kind]string{
	ownruns.Preempted:  "PREEMPTED",
	ownruns.Failed:     "NODE_FAIL",
	ownruns.Terminated: "REQUEUED",
	ownruns.Released:   "REQUEUED",
}

// keepLives are the events of the lives that a run would have had under Slurm.
func keepLives(r *ownruns.Run) []ownruns.Event { return lifeEvents(livesOf(r)) }

// livesOf cuts a run into lives: each begins when machines are ready and none trains, has the
// machines that are ready at that instant, and ends when the first of them goes.
func livesOf(r *ownruns.Run) []life {
	held := slices.DeleteFunc(r.Holdings(), func(h ownruns.Holding) bool {
		return strings.ContainsAny(h.Instance+h.Zone, ",[]|\"")
	})
	finish, done := r.Finish()
	submit := formats.WholeSeconds(r.Zero)
	var out []life
	for start := nextReady(held, r.Zero); start < finish; {
		l, end := lifeFrom(held, start, finish)
		if end == finish && !done {
			l.state = "FAILED"
		}
		l.submit = submit
		if l.end > l.start && l.start > 0 {
			out = append(out, l)
		}
		start = nextReady(held, end)
	}
	if len(out) == 0 {
		return []life{{job: "1", submit: submit, state: "PENDING"}}
	}
	return out
}

// nextReady returns when a machine is ready that is there after an instant; math.MaxInt64: never.
func nextReady(held []ownruns.Holding, after int64) int64 {
	next := int64(math.MaxInt64)
	for i := range held {
		if held[i].Gone > after {
			next = min(next, max(held[i].ReadyAt(), after))
		}
	}
	return next
}

// lifeFrom returns the life that begins at an instant with the machines that are ready then, and when the first of them
// goes, or the run ends.
func lifeFrom(held []ownruns.Holding, start, finish int64) (l life, end int64) {
	l = life{job: "1", start: formats.WholeSeconds(start), state: "COMPLETED"}
	end = finish
	for i := range held {
		machine := &held[i]
		if machine.ReadyAt() > start || machine.Gone <= start {
			continue
		}
		l.nodes = append(l.nodes, machine.Instance)
		l.partition = machine.Zone
		if machine.Gone < end {
			end = machine.Gone
			l.state = lifeStates[machine.End]
		}
	}
	slices.Sort(l.nodes)
	l.nodes = slices.Compact(l.nodes)
	l.end = formats.WholeSeconds(end)
	return l, end
}

func writeSacct(w *bufio.Writer, r *ownruns.Run) {
	w.WriteString("JobIDRaw|JobName|Partition|State|Submit|Start|End|ElapsedRaw|NNodes|NodeList|Restarts|Reason\n")
	const layout = "2006-01-02T15:04:05"
	for i, l := range livesOf(r) {
		start := "Unknown"
		end := "Unknown"
		list := "None assigned"
		if l.start > 0 {
			start = formats.Calendar(l.start, layout)
			end = formats.Calendar(l.end, layout)
			list = strings.Join(l.nodes, ",")
		}
		fmt.Fprintf(w, "1|run|%s|%s|%s|%s|%s|%d|%d|%s|%d|None\n", l.partition, l.state,
			formats.Calendar(l.submit, layout), start, end, (l.end-l.start)/1e6, len(l.nodes), list, i)
	}
}

func writeSlurmJSON(w *bufio.Writer, r *ownruns.Run) {
	var jobs []any
	for i, l := range livesOf(r) {
		jobs = append(jobs, map[string]any{
			"job_id": 1, "name": "run", "partition": l.partition,
			"state": map[string]any{"current": []string{l.state}, "reason": "None"},
			"time": map[string]int64{
				"submission": l.submit / 1e6,
				"start":      l.start / 1e6,
				"end":        l.end / 1e6,
				"elapsed":    (l.end - l.start) / 1e6,
			},
			"nodes": strings.Join(l.nodes, ","), "restart_cnt": i, "steps": []any{},
		})
	}
	formats.WriteJSON(w, map[string]any{"meta": map[string]any{}, "jobs": jobs, "errors": []any{}, "warnings": []any{}})
}
