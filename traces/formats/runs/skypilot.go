package runs

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

func init() {
	formats.Register(formats.Format{
		Name: "skypilot-jobs",
		Kind: formats.Run,
		What: "the table spot of SkyPilot's controller, one row a task, as CSV or JSON: when a job was submitted, " +
			"began and ended; of its recoveries their number and when the last one was done. The format " +
			"skypilot-events has each of them",
		Example: `[{"job_id": 4, "submitted_at": 1767312000.25, "start_at": 1767312100.0, "end_at": 1767319200.0, ` +
			`"last_recovered_at": 1767315000.5, "recovery_count": 2, "status": "SUCCEEDED"}]`,
		Recognise: func(s *read.Source) bool {
			return rowsHave(s, "submitted_at", "recovery_count", "last_recovered_at")
		},
		Records: &formats.Records{
			Command: "sqlite3 -json ~/.sky/spot_jobs.db 'select * from spot' > spot.json" +
				"   # or -header -csv; on the machine of the controller",
			From:  fromCode,
			Lost:  "all recoveries but the last, machines, steps",
			Read:  readSkyJobs,
			Keep:  keepSkyJobs,
			Write: writeSkyJobs,
		},
	}, formats.Format{
		Name: "skypilot-events",
		Kind: formats.Run,
		What: "the table job_events of SkyPilot's controller, as CSV or JSON: each recovery of a job. A cluster " +
			"counts as one machine, and its loss, which the table does not tell from a preemption, as a preemption; " +
			"recoveries of the controller itself (HA) are left out",
		Example: "id,spot_job_id,task_id,new_status,code,reason,timestamp\n" +
			"1,3,0,STARTING,,,2026-01-02 00:00:10+00:00\n" +
			"2,3,0,RUNNING,,,2026-01-02 00:02:00+00:00",
		Recognise: func(s *read.Source) bool { return rowsHave(s, "spot_job_id", "new_status", "timestamp") },
		Records: &formats.Records{
			Command: "sqlite3 -json ~/.sky/spot_jobs.db 'select * from job_events' > job_events.json" +
				"   # rows are kept for 30 days: export it every week",
			From:  fromCode,
			Lost:  "names of machines and their types, warnings, steps",
			Read:  readSkyEvents,
			Keep:  func(r *ownruns.Run) []ownruns.Event { return skyEvents(skyStates(r), "1") },
			Write: writeSkyEvents,
		},
	})
}

// ended says which states of SkyPilot end a job, and how.
func ended(status string) ownruns.Kind {
	switch {
	case strings.HasSuffix(status, "SUCCEEDED"):
		return ownruns.End
	case strings.Contains(status, "FAILED") || strings.HasSuffix(status, "CANCELLED"):
		return ownruns.Aborted
	}
	return ownruns.None
}

// jobOf is the name of a record's job.
func jobOf(r *read.Row, fields ...string) string { return r.Name(r.First(fields...)) }

func readSkyJobs(in *formats.RunFile) error {
	for r := range rows(in.Source, "submitted_at", "start_at", "end_at", "status") {
		job := jobOf(r, "spot_job_id", "job_id")
		if r.Err != nil {
			return r.Err
		}
		if !in.Wanted(job) {
			continue
		}
		recoveries := r.Text("recovery_count")
		for _, x := range []struct {
			field string
			kind  ownruns.Kind
		}{
			{"submitted_at", ownruns.Start}, {"start_at", ownruns.Training}, {"last_recovered_at", ownruns.Restart},
			{"end_at", ended(r.Text("status"))},
		} {
			hasNotBeen := strings.HasPrefix(r.Text(x.field), "-1")
			if !r.Has(x.field) || hasNotBeen || x.kind == ownruns.None {
				continue
			}
			at := instantIn(in, r, x.field)
			if r.Err != nil {
				return r.Err
			}
			if x.kind != ownruns.Restart || recoveries != "0" {
				in.Add(eventAt(r, at, x.kind))
			}
		}
		if recoveries != "" && recoveries != "0" && recoveries != "1" {
			in.Note("job %s recovered %s times, of which the table has only the last; the table job_events has all",
				job, recoveries)
		}
	}
	return nil
}

// skyJob is a row of the table spot.
type skyJob struct {
	JobID         string `json:"spot_job_id"`
	TaskID        string `json:"task_id"`
	Name          string `json:"job_name"`
	Submitted     string `json:"submitted_at"`
	Start         string `json:"start_at"`
	End           string `json:"end_at"`
	LastRecovered string `json:"last_recovered_at"`
	Recoveries    string `json:"recovery_count"`
	Status        string `json:"status"`
}

// keepSkyJobs are the first of what comes once, and the last recovery and end.
func keepSkyJobs(r *ownruns.Run) (out []ownruns.Event) {
	var restarts, ends []ownruns.Event
	for _, kind := range []ownruns.Kind{ownruns.Start, ownruns.Training} {
		i := slices.IndexFunc(r.Events, func(e ownruns.Event) bool { return e.Kind == kind })
		if i >= 0 {
			out = append(out, ownruns.NewEvent(r.Events[i].T, kind))
		}
	}
	for _, e := range r.Events {
		switch e.Kind {
		case ownruns.Restart:
			restarts = append(restarts, ownruns.NewEvent(e.T, e.Kind))
		case ownruns.End, ownruns.Aborted:
			ends = append(ends, ownruns.NewEvent(e.T, e.Kind))
		}
	}
	for _, list := range [][]ownruns.Event{restarts, ends} {
		if len(list) > 0 {
			out = append(out, list[len(list)-1])
		}
	}
	return out
}

func writeSkyJobs(w *bufio.Writer, r *ownruns.Run) {
	x := skyJob{
		JobID:         "1",
		TaskID:        "0",
		Name:          cmp.Or(r.Name, "run"),
		Submitted:     "-1",
		Start:         "-1",
		End:           "-1",
		LastRecovered: "-1",
		Status:        "RUNNING",
	}
	restarts := 0
	for _, e := range r.Events {
		if e.Kind == ownruns.Restart {
			restarts++
		}
	}
	x.Recoveries = fmt.Sprint(restarts)
	for _, e := range keepSkyJobs(r) {
		switch e.Kind {
		case ownruns.Start:
			x.Submitted = formats.Unix(e.T)
		case ownruns.Training:
			x.Start = formats.Unix(e.T)
		case ownruns.Restart:
			x.LastRecovered = formats.Unix(e.T)
		case ownruns.End:
			x.End = formats.Unix(e.T)
			x.Status = "SUCCEEDED"
		case ownruns.Aborted:
			x.End = formats.Unix(e.T)
			x.Status = "FAILED"
		}
	}
	formats.WriteJSON(w, x)
}

// skyState is a row of job_events.
type skyState struct {
	at             int64
	status, source string
	line           int32
}

func readSkyEvents(in *formats.RunFile) error {
	jobs := map[string][]skyState{}
	for r := range rows(in.Source, "spot_job_id", "new_status", "timestamp") {
		job := jobOf(r, "spot_job_id")
		if r.Err == nil && !in.Wanted(job) {
			continue
		}
		at := instantIn(in, r, "timestamp")
		status := r.Name("new_status")
		if r.Err != nil {
			return r.Err
		}
		status = status[strings.LastIndexByte(status, '.')+1:] // ManagedJobStatus.RUNNING
		source := strings.ToUpper(r.Text("recovery_source"))
		jobs[job] = append(jobs[job], skyState{at, strings.ToUpper(status), source, int32(r.Line)})
	}
	if in.Options.Job == "" && len(jobs) > 1 {
		return nil // which the caller refuses
	}
	for _, job := range slices.Sorted(maps.Keys(jobs)) {
		states := jobs[job]
		slices.SortStableFunc(states, func(a, b skyState) int { return cmp.Compare(a.at, b.at) })
		in.Events = append(in.Events, skyEvents(states, job)...)
	}
	return nil
}

// skyEvents are the events of a job's states: its clusters are machines.
func skyEvents(states []skyState, job string) (out []ownruns.Event) {
	cluster := 0
	up := false
	lost := 0
	name := func() string { return fmt.Sprintf("job %s cluster %d", job, cluster) }
	for _, s := range states {
		var e ownruns.Event
		switch end := ended(s.status); {
		case s.status == "PENDING":
			e = ownruns.NewEvent(s.at, ownruns.Start)
		case s.status == "STARTING" && !up:
			cluster++
			e = ownruns.MachineEvent(s.at, ownruns.Launched, name(), "")
		case s.status == "RUNNING" && !up:
			if cluster == lost {
				cluster++
			}
			up = true
			e = ownruns.MachineEvent(s.at, ownruns.Ready, name(), "")
		case s.status == "RECOVERING" && up && !strings.HasSuffix(s.source, "HA"):
			up = false
			lost = cluster
			e = ownruns.MachineEvent(s.at, ownruns.Preempted, name(), "")
		case end != ownruns.None:
			e = ownruns.NewEvent(s.at, end)
		default:
			continue
		}
		e.Line = s.line
		out = append(out, e)
	}
	return out
}

// skyStates are the states of a run: its machines together are a cluster, which is lost with
// the first of them.
func skyStates(r *ownruns.Run) (out []skyState) {
	up := false
	starting := false
	add := func(at int64, status string) { out = append(out, skyState{at: at, status: status}) }
	for _, e := range r.Events {
		switch {
		case e.Kind == ownruns.Start && len(out) == 0:
			add(e.T, "PENDING")
		case e.Kind == ownruns.Launched && !up && !starting:
			add(e.T, "STARTING")
			starting = true
		case e.Kind == ownruns.Ready && !up:
			add(e.T, "RUNNING")
			up = true
			starting = false
		case (e.Kind == ownruns.Preempted || e.Kind == ownruns.Failed) && up:
			add(e.T, "RECOVERING")
			up = false
		case e.Kind == ownruns.End:
			add(e.T, "SUCCEEDED")
		case e.Kind == ownruns.Aborted:
			add(e.T, "FAILED")
		}
	}
	return out
}

func writeSkyEvents(w *bufio.Writer, r *ownruns.Run) {
	w.WriteString("spot_job_id,task_id,new_status,code,reason,timestamp,recovery_source\n")
	for _, s := range skyStates(r) {
		source := ""
		if s.status == "RECOVERING" {
			source = "FAILURE"
		}
		fmt.Fprintf(w, "1,0,%s,,,%s,%s\n", s.status, formats.Calendar(s.at, "2006-01-02 15:04:05.000000Z07:00"), source)
	}
}
