package notebooks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/store"
)

// Option is, in a spec, sessions of notebooks in place of a job that trains.
type Option struct {
	Published string  `json:"published,omitempty" either:"source" jsonschema:"name of sessions that come with marigram, made up: a (12 in 8 h) or b (40 in 17.5 h)"`
	Sessions  string  `json:"sessions,omitempty" either:"source" jsonschema:"instead: CSV file with session, event (session or cell), start_s, duration_s, gpus, relative to this file"`
	Template  string  `json:"template,omitempty" either:"source" jsonschema:"instead: workload template of NotebookOS's dashboard (JSON), relative to this file"`
	TickS     int     `json:"tick_s,omitempty" needs:"template" jsonschema:"seconds of a tick of the template; 60 if absent"`
	HostGPUs  int     `json:"host_gpus,omitempty" jsonschema:"GPUs of an instance; 8 if absent"`
	Hours     float64 `json:"hours,omitempty" min:"0" max:"100000" jsonschema:"the number of hours to take from the first session, or from from_h on, which become the beginning"`
	FromH     float64 `json:"from_h,omitempty" min:"0" max:"100000" needs:"hours" jsonschema:"with hours: hours after the first session"`
}

// Files returns the files that the option names.
func (o *Option) Files() []string {
	return slices.DeleteFunc([]string{o.Sessions, o.Template}, func(name string) bool { return name == "" })
}

// Platform reads the sessions; path makes a name that of a file. Errors name the key or the
// file.
func (o *Option) Platform(path func(string) string) (*Platform, error) {
	if err := fields.Check(o); err != nil {
		return nil, err
	}
	list, err := o.read(path)
	if err != nil {
		return nil, err
	}
	if o.Hours > 0 {
		list = First(list, o.FromH, o.Hours)
	}
	return NewPlatform(list, cmp.Or(o.HostGPUs, 8))
}

func (o *Option) read(path func(string) string) (list []Session, err error) {
	switch {
	case o.Published != "":
		return Published(o.Published)
	case o.Sessions != "":
		return csvtext.Open(path(o.Sessions), ReadSessions)
	}
	file, err := store.OpenInput(path(o.Template))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if list, err = ReadTemplate(file, cmp.Or(o.TickS, 60)); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Template, err)
	}
	return list, nil
}

// First returns the sessions in n hours from some hours after the first of them, as far
// as they are within (Window), with that instant as their beginning.
func First(sessions []Session, fromH, hours float64) []Session {
	if len(sessions) == 0 {
		return nil
	}
	earliest := slices.MinFunc(sessions, func(a, b Session) int { return a.Start - b.Start })
	first := earliest.Start + int(math.Round(3600*fromH))
	list := Window(sessions, first, first+int(math.Round(3600*hours)))
	for i := range list {
		list[i].Start -= first
		list[i].Stop -= first
		for k := range list[i].Cells {
			list[i].Cells[k].Start -= first
		}
	}
	return list
}

// Published returns made-up sessions by name: "a", 12 in 8 h, or "b", 40 in 17.5 h.
func Published(name string) ([]Session, error) {
	type row struct {
		Trace    string `col:"trace"`
		Session  int    `col:"session"`
		Start    int    `col:"start_s"`
		Duration int    `col:"duration_s"`
		GPUs     int    `col:"gpus"`
		Cells    string `col:"cells"`
	}
	var out []Session
	for _, r := range facts.Read[row]("notebook_sessions") {
		if r.Trace != name {
			continue
		}
		s := Session{Number: r.Session, Start: r.Start, Stop: r.Start + r.Duration, GPUs: r.GPUs}
		for _, text := range strings.Fields(r.Cells) {
			var c Cell
			if _, err := fmt.Sscanf(text, "%d+%dx%d", &c.Start, &c.Duration, &c.GPUs); err != nil {
				return nil, fmt.Errorf("session %d of %s: %q: %w", r.Session, r.Trace, text, err)
			}
			s.Cells = append(s.Cells, c)
		}
		out = append(out, s)
	}
	if out == nil {
		return nil, fmt.Errorf("no sessions %q, expected a or b", name)
	}
	return out, nil
}

// ReadSessions reads a CSV table with the columns session (a number), event, start_s,
// duration_s and gpus, in whole seconds: an event "session" says from when and for how long a
// session is open and what it reserves, an event "cell" is a cell of it. name is for errors,
// which give line, column, value and what was expected.
func ReadSessions(name string, r io.Reader) ([]Session, error) {
	t, err := csvtext.Read(name, r, "session", "event", "start_s", "duration_s", "gpus")
	if err != nil {
		return nil, err
	}
	var out []Session
	at := map[int]int{}
	for i := range t.Rows {
		var n [4]int
		for k, column := range []string{"session", "start_s", "duration_s", "gpus"} {
			x, err := t.Number(i, column, 0, maxTime)
			if err != nil {
				return nil, err
			}
			if x != math.Trunc(x) {
				return nil, t.Errorf(i, column, "%v, expected a whole number", x)
			}
			n[k] = int(x)
		}
		k, known := at[n[0]]
		switch event := t.Text(i, "event"); {
		case event == "session" && known:
			return nil, t.Errorf(i, "session", "%d, expected each session once", n[0])
		case event == "session":
			at[n[0]] = len(out)
			out = append(out, Session{Number: n[0], Start: n[1], Stop: n[1] + n[2], GPUs: n[3]})
		case event == "cell" && known:
			out[k].Cells = append(out[k].Cells, Cell{n[1], n[2], n[3]})
		case event == "cell":
			return nil, t.Errorf(i, "session", "%d, expected its session in a row before its cells", n[0])
		default:
			return nil, t.Errorf(i, "event", "%q, expected session or cell", event)
		}
	}
	for i := range out {
		slices.SortStableFunc(out[i].Cells, func(a, b Cell) int { return a.Start - b.Start })
	}
	return out, nil
}

// maxTemplate bounds what is read of a template, bytes.
const maxTemplate = 256 << 20

// ReadTemplate reads the sessions of a workload template of NotebookOS's dashboard (JSON:
// sessions with start_tick, stop_tick, max_resource_request.gpus and trainings), whose ticks
// last n seconds: 60 in its public one. A cell shorter than a tick is one tick there.
// Errors name the session.
func ReadTemplate(r io.Reader, tickS int) ([]Session, error) {
	var doc struct {
		Sessions []struct {
			Start    int `json:"start_tick"`
			Stop     int `json:"stop_tick"`
			Resource struct {
				GPUs float64 `json:"gpus"`
			} `json:"max_resource_request"`
			Trainings []struct {
				Start    int     `json:"start_tick"`
				Duration int     `json:"duration_in_ticks"`
				GPUs     float64 `json:"gpus"`
			} `json:"trainings"`
		} `json:"sessions"`
	}
	if err := json.NewDecoder(io.LimitReader(r, maxTemplate)).Decode(&doc); err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	if tickS < 1 || tickS > 86400 {
		return nil, fmt.Errorf("ticks of %d s, expected 1 to 86400", tickS)
	}
	if len(doc.Sessions) == 0 {
		return nil, fmt.Errorf("template: no sessions")
	}
	isWhole := func(gpus float64) bool { return gpus == float64(int(gpus)) && gpus >= 0 && gpus <= 1e6 }
	fits := func(tick int) bool { return tick >= 0 && tick <= maxTime/tickS }
	var sessions []Session
	for i, from := range doc.Sessions {
		if !fits(from.Start) || !fits(from.Stop) || !isWhole(from.Resource.GPUs) {
			return nil, fmt.Errorf("template: session %d: ticks %d to %d, %v GPUs, "+
				"expected ticks from 0 and whole GPUs", i, from.Start, from.Stop, from.Resource.GPUs)
		}
		session := Session{
			Number: i,
			Start:  from.Start * tickS,
			Stop:   from.Stop * tickS,
			GPUs:   int(from.Resource.GPUs),
		}
		for k, training := range from.Trainings {
			if !fits(training.Start) || !fits(training.Duration) || !isWhole(training.GPUs) {
				return nil, fmt.Errorf("template: session %d: training %d: tick %d for %d ticks, %v GPUs, "+
					"expected ticks from 0 and whole GPUs", i, k, training.Start, training.Duration, training.GPUs)
			}
			session.Cells = append(session.Cells, Cell{
				Start:    training.Start * tickS,
				Duration: training.Duration * tickS,
				GPUs:     int(training.GPUs),
			})
		}
		slices.SortStableFunc(session.Cells, func(a, b Cell) int { return a.Start - b.Start })
		sessions = append(sessions, session)
	}
	return sessions, nil
}
