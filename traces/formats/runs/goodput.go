package runs

import (
	"bufio"
	"math"
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

func init() {
	formats.Register(formats.Format{
		Name: "goodput",
		Kind: formats.Run,
		What: "events of a goodput logger (ml-goodput-measurement, axlearn, MaxText), one JSON object an event, bare " +
			"or as Cloud Logging exports them (jsonPayload): begin and end of the job, of its devices, of the " +
			"preparation of training and of loading data, and the start of each step. Devices count as starting, " +
			"preparation as restoring, loading of data as waiting",
		Example: `{"job_name": "j", "job_start_time": 1767312000.5}` + "\n" +
			`{"job_name": "j", "step_count": 0, "step_start_time": 1767312040.25}`,
		Recognise: func(s *read.Source) bool { return isGoodput(firstObject(s)) },
		Records: &formats.Records{
			Command: "gcloud logging read 'logName:LOGGER' --format=json > goodput.json",
			From:    fromThread,
			Lost:    "machines, saves, losses; how many steps were done when the last one began",
			Read:    readGoodput,
			Keep:    func(r *ownruns.Run) []ownruns.Event { return goodputEvents(goodputRows(r)) },
			Write:   writeGoodput,
		},
	})
}

// goodputActivities are the parts of a job that have a begin and an end, by the names of
// their keys: NAME_start_time and NAME_end_time.
var goodputActivities = []struct {
	name string
	kind ownruns.Kind
}{{"tpu_init", ownruns.Starting}, {"training_preparation", ownruns.Restoring}, {"data_loading", ownruns.Waiting}}

// goodputKeys are the keys of which an event has one, with its time.
var goodputKeys = []string{
	"job_start_time", "job_end_time", "step_start_time",
	"tpu_init_start_time", "tpu_init_end_time",
	"training_preparation_start_time", "training_preparation_end_time",
	"data_loading_start_time", "data_loading_end_time",
}

// goodputKey is the key of a record, and the path to it; empty where it has none.
func goodputKey(r *read.Row) (key, path string) {
	for _, key := range goodputKeys {
		for _, path := range []string{key, "jsonPayload." + key} {
			if r != nil && r.Has(path) {
				return key, path
			}
		}
	}
	return "", ""
}

func isGoodput(r *read.Row) bool {
	key, _ := goodputKey(r)
	return key != ""
}

// goodputRow is one event of the logger.
type goodputRow struct {
	at   int64
	key  string
	step float64
	line int32
}

func readGoodput(in *formats.RunFile) error {
	var list []goodputRow
	others := 0
	for r := range objects(in.Source, nil, nil) {
		key, path := goodputKey(r)
		if key == "" && r.Err == nil {
			others++
			continue
		}
		if job := r.Text(r.First("job_name", "jsonPayload.job_name")); job != "" && !in.Wanted(job) {
			continue
		}
		x := goodputRow{at: instantIn(in, r, path), key: key, line: int32(r.Line)}
		if key == "step_start_time" {
			x.step = read.Field(r, r.First("step_count", "jsonPayload.step_count"), read.Number(0, ownruns.MaxValue))
		}
		if r.Err != nil {
			return r.Err
		}
		list = append(list, x)
	}
	if others > 0 {
		in.Note("%d events of other keys were left out", others)
	}
	in.Events = goodputEvents(list)
	return nil
}

// goodputEvents are what the logger's events say, in the order of the file.
func goodputEvents(rows []goodputRow) (out []ownruns.Event) {
	began := false
	open := map[string]int{} // of an activity, its event
	for _, x := range rows {
		var e ownruns.Event
		switch x.key {
		case "job_start_time":
			e = ownruns.NewEvent(x.at, ownruns.Start)
			if began {
				e.Kind = ownruns.Restart
			}
			began = true
		case "job_end_time":
			e = ownruns.NewEvent(x.at, ownruns.End)
		case "step_start_time":
			e = ownruns.ValueEvent(x.at, ownruns.Step, x.step)
		default:
			name, isStart := strings.CutSuffix(x.key, "_start_time")
			if !isStart {
				name = strings.TrimSuffix(x.key, "_end_time")
				if i, begun := open[name]; begun && x.at >= out[i].T {
					out[i].Value = float64(x.at-out[i].T) / 1e6
				}
				delete(open, name)
				continue
			}
			for _, a := range goodputActivities {
				if a.name == name {
					e = ownruns.NewEvent(x.at, a.kind)
				}
			}
			open[name] = len(out)
		}
		e.Line = x.line
		out = append(out, e)
	}
	return out
}

// goodputRows are what the logger would have said of a run.
func goodputRows(r *ownruns.Run) (out []goodputRow) {
	began := false
	ended := false
	for _, e := range r.Events {
		if ended {
			break // nothing is logged after the end
		}
		switch {
		case e.Kind == ownruns.Start && !began, e.Kind == ownruns.Restart && began:
			out = append(out, goodputRow{at: e.T, key: "job_start_time"})
			began = true
		case e.Kind == ownruns.End:
			out = append(out, goodputRow{at: e.T, key: "job_end_time"})
			ended = true
		case e.Kind == ownruns.Step:
			out = append(out, goodputRow{at: e.T, key: "step_start_time", step: e.Value})
		}
		for _, a := range goodputActivities {
			if a.kind != e.Kind {
				continue
			}
			out = append(out, goodputRow{at: e.T, key: a.name + "_start_time"})
			if e.Value >= 0 && e.Value < 1e9 {
				out = append(out, goodputRow{at: e.T + int64(math.Round(e.Value*1e6)), key: a.name + "_end_time"})
			}
		}
	}
	return out
}

func writeGoodput(w *bufio.Writer, r *ownruns.Run) {
	for _, x := range goodputRows(r) {
		w.WriteString(`{"job_name":"run","` + x.key + `":` + formats.Unix(x.at))
		if x.key == "step_start_time" {
			w.WriteString(`,"step_count":` + formats.Number(x.step))
		}
		w.WriteString("}\n")
	}
}
