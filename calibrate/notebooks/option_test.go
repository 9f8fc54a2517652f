package notebooks

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

const template = `{"sessions": [
 {"id": "a", "start_tick": 0, "stop_tick": 60, "max_resource_request": {"cpus": 4, "gpus": 2},
  "trainings": [{"start_tick": 30, "duration_in_ticks": 10, "gpus": 1}, {"start_tick": 5, "duration_in_ticks": 10, "gpus": 2}]},
 {"start_tick": 10, "stop_tick": 40, "max_resource_request": {"gpus": 4}, "trainings": []}]}`

func TestTemplate(t *testing.T) {
	check := near.Count(t)
	list, err := ReadTemplate(strings.NewReader(template), 60)
	if err != nil || len(list) != 2 || list[0].Cells[0] != (Cell{300, 600, 2}) {
		t.Fatalf("%+v, %v", list, err)
	}
	if b := BoundsOf(list); check.Off(b.Reserved, 4, 1e-12) || check.Off(b.Active, 0.5, 1e-12) {
		t.Errorf("%+v", b)
	}
	if b := BoundsOf(Window(list, 600, 2100)); check.Off(b.Reserved, (2*1500+4*1500)/3600.0, 1e-12) || check.Off(b.Active, 300/3600.0, 1e-12) {
		t.Errorf("in a window: %+v", b)
	}
	for _, bad := range []string{"", "{}", "[]", strings.Replace(template, `"gpus": 4`, `"gpus": 0.5`, 1),
		strings.Replace(template, `"stop_tick": 40`, `"stop_tick": -1`, 1)} {
		if list, err := ReadTemplate(strings.NewReader(bad), 60); err == nil {
			t.Errorf("%q: %+v", bad, list)
		}
	}
}

// The format as the public template has it, with keys that are not read, and its window of 17.5 hours
// from the first session, by hand: 1,050 minutes of 2 GPUs and 450 of 4 are reserved; cells take 100 GPU-minutes,
// 60 of 2 GPUs and the 50 of 100 minutes that are in the window of 4.
func TestTemplateInItsWindow(t *testing.T) {
	check := near.Count(t)
	const text = `{"workload_seed": 1, "sessions": [
 {"id": "a", "start_tick": 100, "stop_tick": 1300, "max_resource_request": {"cpus": 4, "gpus": 2, "vram": 3.5},
  "trainings": [{"start_tick": 130, "duration_in_ticks": 100, "gpus": 1, "cpus": 3.5}, {"start_tick": 400, "duration_in_ticks": 60, "gpus": 2}]},
 {"id": "b", "start_tick": 700, "stop_tick": 2000, "max_resource_request": {"gpus": 4}, "trainings": [{"start_tick": 1100, ` +
		`"duration_in_ticks": 100, "gpus": 4}]},
 {"id": "c", "start_tick": 700, "stop_tick": 2000, "max_resource_request": {"gpus": 0}, "trainings": []}]}`
	list, err := ReadTemplate(strings.NewReader(text), 60)
	if err != nil {
		t.Fatal(err)
	}
	if b := BoundsOf(First(list, 0, 17.5)); check.Off(b.Reserved, 65, 1e-12) || check.Off(b.Active, 7, 1e-12) {
		t.Errorf("%+v, expected 65 and 7", b)
	}
}

func TestBadSessions(t *testing.T) {
	for _, bad := range [][]Session{nil, {{Start: 5, Stop: 1}}, {{Stop: 10, Cells: []Cell{{GPUs: 9}}}}, {{Stop: 10, Cells: []Cell{{Start: 5}, {Start: 1}}}}} {
		if p, err := NewPlatform(bad, 8); err == nil {
			t.Errorf("%+v: %+v", bad, p)
		}
	}
	if p, err := NewPlatform([]Session{{Stop: 1}}, 0); err == nil {
		t.Errorf("hosts without GPUs: %+v", p)
	}
}

func FuzzReadTemplate(f *testing.F) {
	f.Add(template)
	f.Fuzz(func(t *testing.T, text string) {
		if list, err := ReadTemplate(strings.NewReader(text), 60); err == nil {
			BoundsOf(Window(list, 0, 3600))
		}
	})
}

func TestReadSessions(t *testing.T) {
	const good = "session,event,start_s,duration_s,gpus\n3,session,10,100,2\n3,cell,50,5,2\n3,cell,20,5,1\n"
	list, err := ReadSessions("s.csv", strings.NewReader(good))
	if err != nil || len(list) != 1 || list[0].Stop != 110 || list[0].Cells[0] != (Cell{20, 5, 1}) {
		t.Errorf("%+v, %v", list, err)
	}
	for _, change := range [][2]string{{"3,cell,50", "4,cell,50"}, {"cell,50", "row,50"}, {"10,100", "10.5,100"}, {"3,cell,50,5,2", "3,session,50,5,2"},
		{"100,2", "-1,2"}} {
		if list, err := ReadSessions("s.csv", strings.NewReader(strings.Replace(good, change[0], change[1], 1))); err == nil ||
			!strings.Contains(err.Error(), "s.csv:") {
			t.Errorf("%s: %+v, %v", change[1], list, err)
		}
	}
}

// The first hours begin with the first session.
func TestFirst(t *testing.T) {
	list := First([]Session{{Number: 1, Start: 7200, Stop: 14400, GPUs: 2, Cells: []Cell{{Start: 9000, Duration: 9000, GPUs: 2}}},
		{Start: 20000, Stop: 30000}}, 0, 1)
	if len(list) != 1 || list[0].Start != 0 || list[0].Stop != 3600 || list[0].Cells[0] != (Cell{1800, 1800, 2}) {
		t.Errorf("%+v", list)
	}
	if list = First(nil, 0, 1); list != nil {
		t.Errorf("%+v", list)
	}
}

func FuzzReadSessions(f *testing.F) {
	f.Add("session,event,start_s,duration_s,gpus\n3,session,10,100,2\n3,cell,50,5,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		if list, err := ReadSessions("s.csv", strings.NewReader(text)); err == nil {
			if p, err := NewPlatform(First(list, 0, 1), 8); err == nil {
				BoundsOf(p.Sessions)
			}
		}
	})
}
