package quotas

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/policies/schedulers/kueue"
)

// Worlds of our own, drawn otherwise than the recorded ones: cohorts up to four deep with limits of their own, queues
// that list flavors in orders of their own, two groups of resources, weights of 0, and pods that run on some flavors
// only. With -args -drawn 10000 -write FILE they are written for another scheduler to play; with -against FILE what it
// did with them is compared, event by event.
var (
	drawn   = flag.Int("drawn", 150, "worlds that are drawn")
	from    = flag.Uint64("from", 0, "first seed of the worlds")
	write   = flag.String("write", "", "file for the worlds, a line of JSON each")
	against = flag.String("against", "", "file with what another scheduler did with the worlds, a line of JSON each")
)

// drawing makes one world.
type drawing struct {
	*rand.Rand
	world   *world
	flavors []string
	groups  [][]string // resources that come together
	split   bool       // the second group has flavors of its own
	cohorts []string
	queues  []string
}

func drawWorld(seed uint64) *world {
	d := &drawing{Rand: rand.New(rand.NewPCG(seed, 55)), world: &world{ID: fmt.Sprintf("own%06d", seed)}}
	w := d.world
	w.EvictS = pick[int64](d, 0, 0, 0, 1, 7, 30)
	w.CheckpointS = pick[int64](d, 0, 0, 5, 20)
	if d.chance(0.45) {
		w.Fair = new(pick(d, []string{}, []string{}, []string{"LessThanOrEqualToFinalShare"}, []string{"LessThanInitialShare"},
			[]string{"LessThanOrEqualToFinalShare", "LessThanInitialShare"}))
	}
	if d.chance(0.1) {
		w.Gates = []string{"PrioritizePreemptorWorkloads"}
	}
	d.drawResources()
	for range 1 + d.IntN(2) {
		d.drawCohort("", 0, 1+d.IntN(4))
	}
	if d.chance(0.2) {
		d.drawQueue("")
	}
	if len(d.queues) == 0 {
		d.drawQueue(pick(d, d.cohorts...))
	}
	d.drawJobs()
	return w
}

func (d *drawing) chance(p float64) bool { return d.Float64() < p }

func pick[T any](d *drawing, of ...T) T { return of[d.IntN(len(of))] }

// add adds an object.
func (d *drawing) add(kind, name string, spec map[string]any) {
	text, err := json.Marshal(map[string]any{"apiVersion": group + "v1beta2", "kind": kind,
		"metadata": map[string]any{"name": name, "namespace": "default"}, "spec": spec})
	if err != nil {
		panic(err)
	}
	d.world.Manifests = append(d.world.Manifests, text)
}

func (d *drawing) drawResources() {
	d.groups = pick(d, [][]string{{"nvidia.com/gpu"}}, [][]string{{"nvidia.com/gpu"}}, [][]string{{"cpu", "nvidia.com/gpu"}},
		[][]string{{"memory", "cpu", "nvidia.com/gpu"}}, [][]string{{"cpu", "memory"}, {"nvidia.com/gpu"}},
		[][]string{{"nvidia.com/gpu", "pods"}}, [][]string{{"cpu"}, {"nvidia.com/gpu", "pods"}})
	d.split = len(d.groups) > 1
	for f := range 1 + d.IntN(4) {
		d.flavors = append(d.flavors, fmt.Sprintf("flavor-%c", 'a'+f))
	}
	for _, f := range append(slices.Clone(d.flavors), "other-x", "other-y") {
		d.add("ResourceFlavor", f, map[string]any{"nodeLabels": map[string]string{"flavor": f}})
	}
}

// size is an amount of a resource.
func size(resource string, n int) string {
	switch resource {
	case "memory":
		return fmt.Sprintf("%dGi", 4*n)
	case "cpu":
		return fmt.Sprintf("%dm", 500*n)
	}
	return fmt.Sprint(n)
}

// drawGroups draws the quotas of a queue or a cohort.
func (d *drawing) drawGroups(limits, ofQueue bool) (groups []any) {
	for g, resources := range d.groups {
		flavors := d.flavors
		if g == 1 {
			flavors = []string{"other-x", "other-y"}
		}
		flavors = slices.Clone(flavors)
		d.Shuffle(len(flavors), func(i, k int) { flavors[i], flavors[k] = flavors[k], flavors[i] })
		if d.chance(0.3) {
			flavors = flavors[:1+d.IntN(len(flavors))]
		}
		var list []any
		for _, f := range flavors {
			var quotas []any
			for _, r := range resources {
				quotas = append(quotas, d.drawQuota(r, limits, ofQueue))
			}
			list = append(list, map[string]any{"name": f, "resources": quotas})
		}
		groups = append(groups, map[string]any{"coveredResources": resources, "flavors": list})
	}
	return groups
}

func (d *drawing) drawQuota(resource string, limits, ofQueue bool) map[string]any {
	nominal := pick(d, 0, 0, 1, 2, 3, 4, 6, 8, 12)
	if !ofQueue {
		nominal = pick(d, 0, 0, 0, 2, 5)
	}
	quota := map[string]any{"name": resource, "nominalQuota": size(resource, nominal)}
	if limits && d.chance(0.3) {
		quota["borrowingLimit"] = size(resource, pick(d, 0, 1, 2, 4, 10))
	}
	if limits && d.chance(0.3) {
		most := nominal
		if !ofQueue {
			most = 12
		}
		quota["lendingLimit"] = size(resource, d.IntN(most+1))
	}
	return quota
}

// weigh draws a weight of fair sharing.
func (d *drawing) weigh(spec map[string]any) {
	if d.world.Fair != nil && d.chance(0.5) {
		spec["fairSharing"] = map[string]any{"weight": pick(d, "0", "0.5", "1", "2", "3", "1500m")}
	}
}

// drawCohort draws a cohort and what is below it.
func (d *drawing) drawCohort(parent string, depth, deepest int) {
	name := fmt.Sprintf("cohort-%d", len(d.cohorts))
	d.cohorts = append(d.cohorts, name)
	if parent != "" || d.chance(0.6) {
		spec := map[string]any{}
		if parent != "" {
			spec["parentName"] = parent
		}
		if d.chance(0.5) {
			spec["resourceGroups"] = d.drawGroups(parent != "", false)
		}
		d.weigh(spec)
		d.add("Cohort", name, spec)
	}
	for range d.IntN(3) {
		if len(d.queues) < 10 {
			d.drawQueue(name)
		}
	}
	if depth+1 >= deepest {
		if len(d.queues) < 10 {
			d.drawQueue(name)
		}
		return
	}
	for range 1 + d.IntN(2) {
		if len(d.cohorts) < 9 {
			d.drawCohort(name, depth+1, deepest)
		}
	}
}

func (d *drawing) drawQueue(cohort string) {
	name := fmt.Sprintf("queue-%d", len(d.queues))
	d.queues = append(d.queues, name)
	spec := map[string]any{"namespaceSelector": map[string]any{}, "resourceGroups": d.drawGroups(cohort != "", true)}
	if cohort != "" {
		spec["cohortName"] = cohort
	}
	if d.chance(0.35) {
		spec["queueingStrategy"] = "StrictFIFO"
	}
	if d.chance(0.03) {
		spec["stopPolicy"] = "Hold"
	}
	borrow := pick(d, "MayStopSearch", "TryNextFlavor")
	preempt := pick(d, "MayStopSearch", "TryNextFlavor")
	if d.chance(0.6) {
		fungibility := map[string]any{"whenCanBorrow": borrow, "whenCanPreempt": preempt}
		if borrow == preempt && borrow == "TryNextFlavor" && d.chance(0.7) {
			fungibility["preference"] = pick(d, "BorrowingOverPreemption", "PreemptionOverBorrowing")
		}
		spec["flavorFungibility"] = fungibility
	}
	preemption := map[string]any{"withinClusterQueue": pick(d, "Never", "LowerPriority", "LowerOrNewerEqualPriority")}
	reclaim := pick(d, "Never", "LowerPriority", "Any", "Any")
	preemption["reclaimWithinCohort"] = reclaim
	if reclaim != "Never" && d.chance(0.35) {
		within := map[string]any{"policy": "LowerPriority"}
		if d.chance(0.5) {
			within["maxPriorityThreshold"] = pick(d, -10, 0, 5, 50)
		}
		preemption["borrowWithinCohort"] = within
	}
	if d.chance(0.85) {
		spec["preemption"] = preemption
	}
	d.weigh(spec)
	d.add("ClusterQueue", name, spec)
	d.add("LocalQueue", "of-"+name, map[string]any{"clusterQueue": name})
}

func (d *drawing) drawJobs() {
	n := 4 + d.IntN(40)
	created := d.Perm(6 * n)
	busy := pick(d, 5, 40, 200)
	restricted := d.chance(0.15)
	for i := range n {
		j := worldJob{
			Name:     fmt.Sprintf("job-%02d", i),
			Queue:    "of-" + pick(d, d.queues...),
			Priority: pick(d, int32(-10), 0, 0, 0, 5, 50, 100),
			Created:  int64(created[i]) - int64(n),
			Seen:     int64(d.IntN(busy)),
			Runtime:  int64(1 + d.IntN(60)),
		}
		if d.chance(0.3) {
			j.Runtime = int64(pick(d, 1, 2, 10, 300))
		}
		sets := pick(d, 1, 1, 1, 2, 3)
		elastic := -1
		if d.chance(0.35) {
			elastic = d.IntN(sets)
		}
		for s := range sets {
			j.Podsets = append(j.Podsets, d.drawSet(s, s == elastic, restricted))
		}
		d.world.Jobs = append(d.world.Jobs, j)
	}
}

func (d *drawing) drawSet(number int, elastic, restricted bool) (set worldSet) {
	set.Name = fmt.Sprintf("set-%d", number)
	set.Count = int64(pick(d, 1, 1, 2, 3, 4, 8))
	set.Req = map[string]string{}
	if elastic && set.Count > 1 {
		set.Min = 1 + d.Int64N(set.Count-1)
	}
	for _, resources := range d.groups {
		for _, r := range resources {
			if r != "pods" && d.chance(0.8) {
				set.Req[r] = size(r, pick(d, 0, 1, 1, 1, 2, 3, 5))
			}
		}
	}
	if len(set.Req) == 0 || d.chance(0.01) {
		set.Req["nvidia.com/gpu"] = "1"
	}
	if d.chance(0.01) {
		set.Req["ephemeral-storage"] = "1"
	}
	if restricted && d.chance(0.5) {
		for _, f := range append(slices.Clone(d.flavors), "other-x", "other-y") {
			if d.chance(0.6) {
				set.On = append(set.On, f)
			}
		}
	}
	return set
}

// TestDrawnWorlds plays drawn worlds. At no instant do the queues together have more than all quotas, and a world that
// is played again goes the same way. With -against, what happens is what another scheduler did.
func TestDrawnWorlds(t *testing.T) {
	var out *bufio.Writer
	if *write != "" {
		file, err := os.Create(*write)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		out = bufio.NewWriter(file)
		defer out.Flush()
	}
	var others *bufio.Scanner
	if *against != "" {
		file, err := os.Open(*against)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		others = bufio.NewScanner(file)
		others.Buffer(nil, 1<<26)
	}
	tally := map[string]int{}
	for k := range uint64(*drawn) {
		w := drawWorld(*from + k)
		if out != nil {
			if err := json.NewEncoder(out).Encode(w); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if others != nil {
			compareNext(t, w, others, tally)
			continue
		}
		checkDrawn(t, w, tally)
	}
	t.Log(tally)
	if out == nil && *drawn >= 100 && (tally["admit"] == 0 || tally["preempt"] == 0) {
		t.Errorf("%v: nothing happened", tally)
	}
}

// compareNext compares a world with the next line of what another scheduler did.
func compareNext(t *testing.T, w *world, others *bufio.Scanner, tally map[string]int) {
	if !others.Scan() {
		t.Fatalf("%s: no line (%v)", w.ID, others.Err())
	}
	var theirs struct {
		recorded
		ID     string
		Failed string
		Phase  int
	}
	if err := json.Unmarshal(others.Bytes(), &theirs); err != nil || theirs.ID != w.ID || theirs.Failed != "" {
		t.Fatalf("%s: line of %q: %v %s", w.ID, theirs.ID, err, theirs.Failed)
	}
	tally["worlds"]++
	for _, e := range theirs.Events {
		tally[e[2].(string)]++
	}
	if theirs.EndlessIn != "" {
		tally["endless "+theirs.EndlessIn]++
	}
	if theirs.Phase > 0 {
		tally["with phases"]++
	}
	if err := w.compare(&theirs.recorded); err != nil {
		tally["differ"]++
		t.Errorf("%s (fair %v, gates %v): %v", w.ID, w.Fair != nil, w.Gates, err)
	}
}

// checkDrawn plays a world twice and checks what happens.
func checkDrawn(t *testing.T, w *world, tally map[string]int) {
	const until = 1 << 40
	again, _ := w.run(until)
	w.after = func(p *play) { checkUse(t, p) }
	lines, err := w.run(until)
	if !slices.Equal(lines, again) {
		t.Errorf("%s: played again it goes another way", w.ID)
	}
	if err != nil {
		tally["endless"]++
	}
	for _, line := range lines {
		tally[strings.Fields(line)[2]]++
	}
}

// checkUse checks that the queues together have no more of a resource than the quotas of all queues and cohorts.
func checkUse(t *testing.T, p *play) {
	config := &p.objects.Config
	quota := map[string]int64{}
	add := func(groups []kueue.Group) {
		for _, g := range groups {
			for _, f := range g.Flavors {
				for r, q := range f.Quotas {
					quota[g.Resources[r]] += q.Nominal
				}
			}
		}
	}
	for i := range config.Cohorts {
		add(config.Cohorts[i].Groups)
	}
	for i := range config.Queues {
		add(config.Queues[i].Groups)
	}
	for r, all := range quota {
		sum := int64(0)
		for i := range config.Queues {
			used, _ := p.cluster.Use(config.Queues[i].Name, r)
			if used < 0 {
				t.Errorf("%s: queue %s has %d of %s", p.ID, config.Queues[i].Name, used, r)
			}
			sum += used
		}
		if sum > all {
			t.Errorf("%s: %d of %s are used, expected at most the quota of %d", p.ID, sum, r, all)
		}
	}
}
