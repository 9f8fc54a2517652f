package notebooks

import (
	"math"
	"strings"
	"testing"
)

const template = `{"sessions": [
 {"id": "a", "start_tick": 0, "stop_tick": 60, "max_resource_request": {"cpus": 4, "gpus": 2},
  "trainings": [{"start_tick": 30, "duration_in_ticks": 10, "gpus": 1}, {"start_tick": 5, "duration_in_ticks": 10, "gpus": 2}]},
 {"start_tick": 10, "stop_tick": 40, "max_resource_request": {"gpus": 4}, "trainings": []}]}`

func TestTemplate(t *testing.T) {
	list, err := ReadTemplate(strings.NewReader(template), 60)
	if err != nil || len(list) != 2 || list[0].Cells[0] != (Cell{300, 600, 2}) {
		t.Fatalf("%+v, %v", list, err)
	}
	if b := BoundsOf(list); math.Abs(b.Reserved-4) > 1e-12 || math.Abs(b.Active-0.5) > 1e-12 {
		t.Errorf("%+v", b)
	}
	if b := BoundsOf(Window(list, 600, 2100)); math.Abs(b.Reserved-(2*1500+4*1500)/3600.0) > 1e-12 || math.Abs(b.Active-300/3600.0) > 1e-12 {
		t.Errorf("in a window: %+v", b)
	}
	for _, bad := range []string{"", "{}", "[]", strings.Replace(template, `"gpus": 4`, `"gpus": 0.5`, 1), strings.Replace(template, `"stop_tick": 40`, `"stop_tick": -1`, 1)} {
		if list, err := ReadTemplate(strings.NewReader(bad), 60); err == nil {
			t.Errorf("%q: %+v", bad, list)
		}
	}
}

func TestBadPools(t *testing.T) {
	good := []Session{{Start: 0, Stop: 60, GPUs: 1, Cells: []Cell{{Start: 0, Duration: 10, GPUs: 1}}}}
	for _, set := range []func(p *Pool){func(p *Pool) { p.GPUs = 0 }, func(p *Pool) { p.Every = 0 }, func(p *Pool) { p.Most = 0 }, func(p *Pool) { p.Scale = math.NaN() },
		func(p *Pool) { p.Limit = 1 }, func(p *Pool) { p.Cold = -1 }} {
		p := DefaultPool()
		set(&p)
		if r, err := p.Run(good); err == nil {
			t.Errorf("%+v: %+v", p, r)
		}
	}
	p := DefaultPool()
	for _, bad := range [][]Session{nil, {{Start: 5, Stop: 1}}, {{Stop: 10, Cells: []Cell{{GPUs: 9}}}}, {{Stop: 10, Cells: []Cell{{Start: 5}, {Start: 1}}}}} {
		if r, err := p.Run(bad); err == nil {
			t.Errorf("%+v: %+v", bad, r)
		}
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
