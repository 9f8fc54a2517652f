package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
)

// traced is an event as a reader of the Trace Event Format sees it.
type traced struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	PID   *int           `json:"pid"`
	TID   *int           `json:"tid"`
	At    *float64       `json:"ts"`
	Dur   *float64       `json:"dur"`
	Scope string         `json:"s"`
	Args  map[string]any `json:"args"`
}

func traceOf(t *testing.T, set *results.Set) ([]byte, []traced) {
	t.Helper()
	var out bytes.Buffer
	if err := Trace(&out, set); err != nil {
		t.Fatal(err)
	}
	var file struct {
		DisplayTimeUnit string            `json:"displayTimeUnit"`
		OtherData       map[string]string `json:"otherData"`
		TraceEvents     []traced          `json:"traceEvents"`
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	if file.DisplayTimeUnit != "ms" && file.DisplayTimeUnit != "ns" {
		t.Errorf("displayTimeUnit %q, expected ms or ns", file.DisplayTimeUnit)
	}
	return out.Bytes(), file.TraceEvents
}

// A trace keeps the rules of the Trace Event Format ("Trace Event Format", Google,
// section Event Descriptions): what each phase must have; complete events of one
// thread do not overlap but nest; threads have names.
func TestTraceRules(t *testing.T) {
	check := near.Count(t)
	set := synthetic(2, 40)
	text, events := traceOf(t, set)
	if again, _ := traceOf(t, synthetic(2, 40)); !bytes.Equal(text, again) {
		t.Error("two traces of the same set differ")
	}
	type thread struct{ pid, tid int }
	named, complete := map[thread]bool{}, map[thread][]traced{}
	for _, e := range events {
		if e.PID == nil || e.TID == nil || e.Name == "" {
			t.Fatalf("%+v lacks its process, thread or name", e)
		}
		id := thread{*e.PID, *e.TID}
		switch e.Phase {
		case "M":
			if !slices.Contains([]string{"process_name", "process_sort_index", "thread_name", "thread_sort_index"}, e.Name) || len(e.Args) != 1 {
				t.Errorf("metadata %s with %v", e.Name, e.Args)
			}
			named[id] = named[id] || e.Name == "thread_name"
		case "X":
			if e.At == nil || e.Dur == nil || check.Below(*e.At, 0) || !(*e.Dur > 0) {
				t.Errorf("%+v needs a start and a length", e)
			}
			complete[id] = append(complete[id], e)
		case "i":
			if e.At == nil || e.Scope != "t" && e.Scope != "p" && e.Scope != "g" {
				t.Errorf("%+v needs an instant and a scope", e)
			}
		case "C":
			for unit, value := range e.Args {
				if x, ok := value.(float64); !ok || math.IsNaN(x) {
					t.Errorf("counter %s: %v %s", e.Name, value, unit)
				}
			}
			if e.At == nil || len(e.Args) == 0 {
				t.Errorf("counter %s needs an instant and a value", e.Name)
			}
			continue
		default:
			t.Errorf("phase %q", e.Phase)
		}
		if e.Phase != "M" && !named[id] {
			t.Errorf("%s is on thread %v, which has no name", e.Name, id)
		}
	}
	for id, all := range complete {
		slices.SortStableFunc(all, func(a, b traced) int { return cmp.Compare(*a.At, *b.At) })
		for i := 1; i < len(all); i++ {
			if check.Below(*all[i].At, *all[i-1].At+*all[i-1].Dur) {
				t.Errorf("%v: %s begins within %s", id, all[i].Name, all[i-1].Name)
			}
		}
	}
}

// The tracks of instances are their lifetimes.
func TestTraceInstances(t *testing.T) {
	set := synthetic(1, 40)
	_, events := traceOf(t, set)
	micros := map[string]float64{}
	revoked := 0
	for _, e := range events {
		if *e.PID == 1 && e.Phase == "X" && *e.TID >= trackInstances {
			micros[e.Name] += *e.Dur
		}
		if *e.PID == 1 && e.Name == "revoked" {
			revoked++
		}
	}
	// held 0 to 290 s; granted at 1, ready at 5, noticed at 20.5, revoked at 36.25; starting from 2 to 9
	if want := map[string]float64{"starting": 11e6, "ready": 305.5e6, "noticed": 15.75e6}; micros["starting"] != want["starting"] ||
		micros["ready"] != want["ready"] || micros["noticed"] != want["noticed"] || revoked != 1 {
		t.Errorf("%v, %d revoked, expected %v and one", micros, revoked, want)
	}
}

func TestTraceWithoutTimelines(t *testing.T) {
	set := synthetic(1, 5)
	set.Spans = nil
	if err := Trace(&bytes.Buffer{}, set); !errors.Is(err, ErrNoTimelines) {
		t.Errorf("%v", err)
	}
}
