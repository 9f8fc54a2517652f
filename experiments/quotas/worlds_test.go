package quotas

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers/kueue"
)

// world is an input of the recorded decisions of Kueue's own scheduler.
type world struct {
	ID          string            `json:"id"`
	Fair        *[]string         `json:"fair"`
	EvictS      int64             `json:"evict_s"`
	CheckpointS int64             `json:"checkpoint_s"`
	Gates       []string          `json:"gates,omitempty"`
	Manifests   []json.RawMessage `json:"manifests"`
	Jobs        []worldJob        `json:"jobs"`

	after func(*play) // called after each instant; nil: nothing
}

type worldJob struct {
	Name     string     `json:"name"`
	Queue    string     `json:"queue"`
	Priority int32      `json:"priority"`
	Created  int64      `json:"created"`
	Seen     int64      `json:"seen"`
	Runtime  int64      `json:"runtime"`
	Podsets  []worldSet `json:"podsets"`
}

type worldSet struct {
	Name  string            `json:"name"`
	Count int64             `json:"count"`
	Min   int64             `json:"min,omitempty"`
	Req   map[string]string `json:"req"`
	On    []string          `json:"on,omitempty"` // flavors; nil: all
}

// recorded is what Kueue did: [t, cycle, kind, job, ...] each.
type recorded struct {
	Events    [][]any
	EndlessAt *int64 `json:"endless_at"`
	EndlessIn string `json:"endless_in"`
}

// happening is a change of a job that is known in advance; those of an instant come by kind, then by name.
type happening struct {
	at      int64
	kind    int // 0: its quota is released; 1: it finishes; 2: it arrives
	name    string
	job     int
	started int // finish: of its nth run
}

func (x happening) compare(y happening) int {
	if x.at != y.at {
		return int(x.at - y.at)
	}
	if x.kind != y.kind {
		return x.kind - y.kind
	}
	return strings.Compare(x.name, y.name)
}

// play is a world as it goes on.
type play struct {
	*world
	cluster *kueue.Cluster
	objects *Objects
	coming  []happening
	left    []int64 // s, by job
	started []int64
	runs    []int
	lines   []string
}

func (p *play) add(x happening) {
	at, _ := slices.BinarySearchFunc(p.coming, x, happening.compare)
	p.coming = slices.Insert(p.coming, at, x)
}

// read makes the cluster of a world.
func (w *world) read() (*Objects, error) {
	objects := &Objects{Queues: map[string]string{}, Classes: map[string]int32{}, flavors: map[string]at{}}
	for _, text := range w.Manifests {
		var x Object
		if err := json.Unmarshal(text, &x); err != nil {
			return nil, err
		}
		if err := addJSON[x.Kind](objects, text); err != nil {
			return nil, err
		}
	}
	if err := objects.complete(); err != nil {
		return nil, err
	}
	config := &configuration{}
	if w.Fair != nil {
		config.FairSharing = &struct {
			Enable               *bool    `json:"enable,omitempty"`
			PreemptionStrategies []string `json:"preemptionStrategies,omitempty" names:"LessThanOrEqualToFinalShare,LessThanInitialShare"`
		}{PreemptionStrategies: *w.Fair}
	}
	config.FeatureGates = map[string]bool{}
	for _, gate := range w.Gates {
		config.FeatureGates[gate] = true
	}
	objects.Config.ReleaseAtOnce = w.EvictS == 0
	return objects, objects.addConfiguration(failAt, config)
}

func failAt(path, format string, args ...any) error { return fmt.Errorf(path+": "+format, args...) }

// addJSON are readers of JSON, which takes a twentieth of the time of YAML.
var addJSON = map[string]func(*Objects, []byte) error{
	"ClusterQueue":          fromJSON((*Objects).addQueue),
	"Cohort":                fromJSON((*Objects).addCohort),
	"ResourceFlavor":        fromJSON((*Objects).addFlavor),
	"LocalQueue":            fromJSON((*Objects).addLocalQueue),
	"WorkloadPriorityClass": fromJSON((*Objects).addClass),
}

func fromJSON[T any](add func(*Objects, at, *T) error) func(*Objects, []byte) error {
	return func(o *Objects, text []byte) error {
		into := new(T)
		if err := json.Unmarshal(text, into); err != nil {
			return err
		}
		return add(o, failAt, into)
	}
}

// run plays a world until an instant.
func (w *world) run(until int64) ([]string, error) {
	objects, err := w.read()
	if err != nil {
		return nil, err
	}
	cluster, err := kueue.New(objects.Config)
	if err != nil {
		return nil, err
	}
	p := &play{world: w, cluster: cluster, objects: objects, left: make([]int64, len(w.Jobs)),
		started: make([]int64, len(w.Jobs)), runs: make([]int, len(w.Jobs))}
	for i := range w.Jobs {
		p.left[i] = w.Jobs[i].Runtime
		p.coming = append(p.coming, happening{at: w.Jobs[i].Seen, kind: 2, name: w.Jobs[i].Name, job: i})
	}
	slices.SortFunc(p.coming, happening.compare)
	for len(p.coming) > 0 && p.coming[0].at <= until {
		now := p.coming[0].at
		changed := false
		for len(p.coming) > 0 && p.coming[0].at == now {
			next := p.coming[0]
			p.coming = p.coming[1:]
			if next.kind == 1 && next.started != p.runs[next.job] {
				continue // of a run that was stopped
			}
			changed = true
			if err := p.happen(next); err != nil {
				return p.lines, err
			}
		}
		if !changed {
			continue
		}
		if err := cluster.Settle(now, func(e kueue.Event) { p.note(now, e) }); err != nil {
			return p.lines, err
		}
		if w.after != nil {
			w.after(p)
		}
	}
	return p.lines, nil
}

func (p *play) happen(x happening) error {
	switch x.kind {
	case 0:
		p.cluster.Release(x.job)
		p.lines = append(p.lines, fmt.Sprintf("%d -1 release %s", x.at, x.name))
	case 1:
		p.cluster.Finish(x.job)
		p.lines = append(p.lines, fmt.Sprintf("%d -1 finish %s", x.at, x.name))
	case 2:
		of := &p.Jobs[x.job]
		job := kueue.Job{Name: of.Name, Queue: p.objects.Queues[of.Queue], Priority: of.Priority, Created: of.Created}
		for _, set := range of.Podsets {
			made := kueue.PodSet{Name: set.Name, Count: set.Count, Min: set.Min, Flavors: set.On}
			for _, r := range slices.Sorted(maps.Keys(set.Req)) {
				each, err := amount(r, set.Req[r])
				if err != nil {
					return err
				}
				made.Requests = append(made.Requests, kueue.Request{Resource: r, Amount: each})
			}
			job.PodSets = append(job.PodSets, made)
		}
		return p.cluster.Submit(x.job, &job)
	}
	return nil
}

// note writes an event as the recorded ones are written, and has the job go on.
func (p *play) note(now int64, e kueue.Event) {
	of := &p.Jobs[e.Job]
	line := fmt.Sprintf("%d %d ", now, e.Cycle)
	switch e.Kind {
	case kueue.Admitted:
		p.runs[e.Job]++
		p.started[e.Job] = now
		p.add(happening{at: now + p.left[e.Job], kind: 1, name: of.Name, job: e.Job, started: p.runs[e.Job]})
		line += "admit " + of.Name + " " + p.objects.Queues[of.Queue]
		for i, set := range of.Podsets {
			line += fmt.Sprintf(" %s %d", set.Name, p.cluster.Pods(e.Job, i))
			resources := append(slices.Sorted(maps.Keys(set.Req)), "pods")
			slices.Sort(resources)
			for _, r := range slices.Compact(resources) {
				if f := p.cluster.Flavor(e.Job, i, r); f != "" {
					line += " " + r + "=" + f
				}
			}
		}
	case kueue.Preempted:
		p.runs[e.Job]++
		kept := int64(0)
		if p.CheckpointS > 0 {
			kept = (now - p.started[e.Job]) / p.CheckpointS * p.CheckpointS
		}
		p.left[e.Job] = max(1, p.left[e.Job]-kept)
		if p.EvictS > 0 {
			p.add(happening{at: now + p.EvictS, name: of.Name, job: e.Job})
		}
		line += fmt.Sprintf("preempt %s %v %s", of.Name, e.Reason, p.Jobs[e.For].Name)
	case kueue.Released:
		line += "release " + of.Name
	}
	p.lines = append(p.lines, line)
}

// lines writes recorded events, up to cycle 8 of the instant at which a world is endless.
func (r *recorded) lines() (lines []string) {
	for _, e := range r.Events {
		line := fmt.Sprintf("%v %v %v %v", e[0], e[1], e[2], e[3])
		switch e[2] {
		case "preempt":
			line += fmt.Sprintf(" %v %v", e[4], e[5])
		case "admit":
			line += fmt.Sprintf(" %v", e[4])
			sets := e[5].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(sets)) {
				set := sets[name].(map[string]any)
				line += fmt.Sprintf(" %s %v", name, set["n"])
				flavors := set["f"].(map[string]any)
				for _, r := range slices.Sorted(maps.Keys(flavors)) {
					line += fmt.Sprintf(" %s=%v", r, flavors[r])
				}
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// compareLines orders events by their instants and cycles.
func compareLines(x, y string) int {
	var a, b [2]int64
	fmt.Sscan(x, &a[0], &a[1])
	fmt.Sscan(y, &b[0], &b[1])
	if order := slices.Compare(a[:], b[:]); order != 0 {
		return order
	}
	return strings.Compare(x, y)
}

// compare plays a world and compares it with what Kueue did, event by event.
func (w *world) compare(want *recorded) error {
	until := int64(1) << 60
	if want.EndlessAt != nil {
		until = *want.EndlessAt
		if want.EndlessIn == "time" {
			until--
		}
	}
	lines, err := w.run(until)
	endless := want.EndlessIn == "instant"
	if _, is := errors.AsType[*kueue.Endless](err); is != endless {
		return fmt.Errorf("error %v, expected an endless instant: %v", err, endless)
	}
	if err != nil && !endless {
		return err
	}
	expected := want.lines()
	if endless {
		late := func(line string) bool {
			var at, cycle int64
			fmt.Sscan(line, &at, &cycle)
			return at == until && cycle > 8
		}
		lines = slices.DeleteFunc(lines, late)
	}
	slices.SortFunc(lines, compareLines)
	slices.SortFunc(expected, compareLines)
	for i := range max(len(lines), len(expected)) {
		if i >= len(lines) || i >= len(expected) || lines[i] != expected[i] {
			return fmt.Errorf("%d events, expected %d: %q, expected %q", len(lines), len(expected),
				lines[min(i, len(lines)):min(i+2, len(lines))], expected[min(i, len(expected)):min(i+2, len(expected))])
		}
	}
	return nil
}

// TestWorldsAsKueue plays the recorded worlds.
func TestWorldsAsKueue(t *testing.T) {
	for _, name := range []string{"classical", "fair", "large", "performance", "gate", "minimal", "endless"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := "experiments/quotas/testdata/kueue-" + name + ".json"
			rows := bufio.NewScanner(bytes.NewReader(testutil.Data(t, path, worlds[name])))
			rows.Buffer(nil, 1<<24)
			n := 0
			for rows.Scan() {
				var row struct {
					World  world
					Result recorded
				}
				if err := json.Unmarshal(rows.Bytes(), &row); err != nil {
					t.Fatal(err)
				}
				n++
				if err := row.World.compare(&row.Result); err != nil {
					t.Errorf("%s: %v", row.World.ID, err)
				}
				if n%200 == 1 {
					checkYAML(t, &row.World)
				}
			}
			if n != worlds[name] {
				t.Errorf("%d worlds, expected %d", n, worlds[name])
			}
		})
	}
}

// worlds are how many worlds each file has.
var worlds = map[string]int{"classical": 1042, "fair": 420, "large": 16, "performance": 1, "gate": 359, "minimal": 29, "endless": 47}

// checkYAML checks that the manifests of a world are read as YAML as they are as JSON.
func checkYAML(t *testing.T, w *world) {
	want, err := w.read()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(w.Manifests)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(w.ID, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	want.Config.Fair = nil
	want.Config.ReleaseAtOnce = false
	want.Config.PreemptorsFirst = false
	names := func(o *Objects) []string { return slices.Sorted(maps.Keys(o.flavors)) }
	if !slices.Equal(names(got), names(want)) {
		t.Errorf("%s: read as YAML flavors %v, expected %v", w.ID, names(got), names(want))
	}
	got.flavors = nil // errors of a place
	want.flavors = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: read as YAML %+v, expected %+v", w.ID, got, want)
	}
}
