package cmd

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
)

var (
	drawnSpecs = flag.Int("drawn-specs", 40,
		"specs that are drawn for TestDrawnSpecs: shipped ones and those of init, changed in one to three places")
	drawnFrom = flag.Uint64("drawn-from", 1, "seed of these")
)

// longest is how long drawn runs last, in seconds, and longestHorizon how long the horizon of a drawn spec may be: a
// synthetic market has all of it.
const (
	longest        = 3600
	longestHorizon = 3e7
)

// A spec that validate accepts starts its first runs; one that it refuses is refused by run with the same sentence.
func TestDrawnSpecs(t *testing.T) {
	d := newDrawing(t, *drawnFrom)
	accepted, refused := 0, 0
	for range *drawnSpecs {
		file, changes := d.spec(t)
		code, _, said := marigram("validate", file)
		if code != 0 {
			refused++
			why := said[strings.LastIndex(said, "marigram: "):]
			if again, _, stderr := marigram("run", file, "--no-plots"); again != code || !strings.Contains(stderr, why) {
				t.Errorf("%s: validate ends with %d, run with %d:\n%s\n%s", changes, code, again, said, stderr)
			}
			continue
		}
		s, err := spec.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if s.HorizonS > longestHorizon {
			continue
		}
		accepted++
		if err := firstRuns(t, s); err != nil {
			t.Errorf("%s: validate accepts it, and then: %v", changes, err)
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	if refused == 0 || accepted < refused {
		t.Errorf("%d specs accepted, %d refused: expected most, but not all, to be accepted", accepted, refused)
	}
}

// firstRuns runs the first run of every objective and policy for a while.
func firstRuns(t *testing.T, s *spec.Spec) error {
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	s.HorizonS = min(s.HorizonS, longest)
	s.Seeds = 1
	study.Starts = study.Starts[:1]
	study.Timelines = 0
	_, err = study.Run(t.Context())
	return err
}

// drawing draws specs.
type drawing struct {
	*rand.Rand
	folder  string
	specs   []string         // as JSON, which is YAML as well
	values  map[string][]any // of every key in any of the specs
	keys    []string         // those of values, sorted
	inPlace map[string][]any // values by the kind of job and where they stand
}

func newDrawing(t *testing.T, seed uint64) *drawing {
	d := &drawing{Rand: rand.New(rand.NewPCG(seed, 0)), folder: t.TempDir(), values: map[string][]any{}, inPlace: map[string][]any{}}
	add := func(name string, text []byte) {
		data, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		file := filepath.Join(d.folder, "plain.yaml")
		write(t, file, string(data))
		if code, _, said := marigram("validate", file); code == 0 {
			d.specs = append(d.specs, string(data))
		} else if !strings.Contains(said, "not pulled") {
			t.Errorf("%s is not valid: %s", name, said)
		}
		tree := parsed(t, string(data))
		kind := kindOf(tree)
		for _, p := range placesOf(tree) {
			d.values[p.key] = append(d.values[p.key], p.value)
			d.inPlace[kind+p.at] = append(d.inPlace[kind+p.at], p.value)
		}
	}
	for _, name := range spec.Builtin() {
		text, err := os.ReadFile(filepath.Join("experiments", "specs", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		add(name, text)
	}
	write(t, filepath.Join(d.folder, "gcp.csv"), `commit,commit_time_utc,generated_utc,machine_type,region,hour_usd,hour_spot_usd
0,2025-01-01T00:00:00Z,2025-01-01T00:00:00Z,a2-highgpu-1g,us-central1,3.67,1.1
1,2025-02-01T00:00:00Z,2025-02-01T00:00:00Z,a3-highgpu-8g,us-central1,88,20
1,2025-02-01T00:00:00Z,2025-02-01T00:00:00Z,a3-highgpu-8g,us-east4,89,16
2,2025-06-01T00:00:00Z,2025-06-01T00:00:00Z,a3-highgpu-8g,us-central1,88,21
`)
	for _, flags := range []string{
		"--gpu H100:8 --nodes 4 --hours 10",
		"--gpu A100:8 --nodes 8 --network gpt-neo-2.7b",
		"--prices gcp.csv --gpu H100:8 --nodes 2",
	} {
		line := strings.Fields("init " + flags)
		for i := range line {
			line[i] = strings.Replace(line[i], "gcp.csv", filepath.Join(d.folder, "gcp.csv"), 1)
		}
		code, text, stderr := marigram(line...)
		if code != 0 {
			t.Fatalf("init %s: %s", flags, stderr)
		}
		add("init", []byte(text))
	}
	d.keys = slices.Sorted(maps.Keys(d.values))
	return d
}

// spec writes a drawn spec into a file, and says what was changed in it. Three in four changes are small ones, which
// leave most specs valid.
func (d *drawing) spec(t *testing.T) (file, changes string) {
	tree := parsed(t, d.specs[d.IntN(len(d.specs))])
	said := []string{fmt.Sprint(tree.(map[string]any)["name"])}
	for range 1 + d.IntN(3) {
		all := placesOf(tree)
		if d.IntN(4) > 0 {
			said = append(said, d.changeALittle(t, all))
		} else {
			said = append(said, d.change(t, all[1+d.IntN(len(all)-1)]))
		}
	}
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(d.folder, "drawn.yaml")
	write(t, file, string(text))
	return file, strings.Join(said, ", ") + "\n" + string(text) + "\n"
}

// changeALittle makes a number up to twice or half as large, or gives a value or list that which stands in the same place
// of another spec of the same kind of job. Names stay: they are often given once only, and named elsewhere.
func (d *drawing) changeALittle(t *testing.T, all []place) string {
	kind := kindOf(all[0].value)
	for {
		p := all[1+d.IntN(len(all)-1)]
		if number, is := p.value.(float64); is {
			factor := []float64{0.5, 0.8, 0.9, 1.1, 1.25, 2}[d.IntN(6)]
			changed := number * factor
			if number == math.Trunc(number) {
				changed = max(math.Round(changed), min(number, 1))
			} else if number < 1 { // it may be a share
				changed = min(changed, 1)
			}
			p.set(changed)
			return fmt.Sprintf("%s: %v", p.at, changed)
		}
		like := d.inPlace[kind+p.at]
		_, isSection := p.value.(map[string]any)
		named := isSection || strings.Contains(p.at, "name") || strings.Contains(p.at, "type") || strings.Contains(p.at, "policies[]")
		if len(like) > 1 && !named && d.IntN(2) == 0 {
			value := copied(t, like[d.IntN(len(like))])
			p.set(value)
			return fmt.Sprintf("%s: %.60v", p.at, value)
		}
	}
}

// change removes a value, gives it that of the same key elsewhere, gives it a key more, or changes it a lot.
func (d *drawing) change(t *testing.T, p place) string {
	section, isSection := p.value.(map[string]any)
	number, isNumber := p.value.(float64)
	list, isList := p.value.([]any)
	switch how := d.IntN(6); {
	case how == 0 && p.remove != nil:
		p.remove()
		return "without " + p.key
	case how == 1 && isSection:
		key := d.keys[d.IntN(len(d.keys))]
		section[key] = d.like(t, key)
		return fmt.Sprintf("%s with %s: %.60v", p.key, key, section[key])
	case how <= 3 && isNumber:
		changed := []float64{0, 1, number + 1, number - 1, 2 * number, number / 2, 10 * number, number / 10, -number}
		number = changed[d.IntN(len(changed))]
		p.set(number)
		return fmt.Sprintf("%s: %v", p.key, number)
	case how <= 3 && isList && len(list) > 0:
		if d.IntN(2) == 0 {
			p.set(list[:len(list)-1])
			return p.key + " without the last"
		}
		p.set(append(slices.Clone(list), list[d.IntN(len(list))]))
		return p.key + " with one twice"
	}
	value := d.like(t, p.key)
	p.set(value)
	return fmt.Sprintf("%s: %.60v", p.key, value)
}

// like returns a copy of a value that a key has in one of the specs.
func (d *drawing) like(t *testing.T, key string) any {
	return copied(t, d.values[key][d.IntN(len(d.values[key]))])
}

// kindOf names the parts of a spec's model, and whether it has many jobs.
func kindOf(tree any) string {
	top := tree.(map[string]any)
	model, _ := top["model"].(map[string]any)
	return fmt.Sprint(slices.Sorted(maps.Keys(model)), top["jobs"] != nil)
}

func copied(t *testing.T, value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(text))
}

func parsed(t *testing.T, text string) (tree any) {
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// place is where a value stands in a tree.
type place struct {
	key    string // of the value, or of the list that it is an element of
	at     string // the keys from the top to here, elements of lists alike
	value  any
	set    func(any)
	remove func() // nil: it cannot be removed
}

// placesOf returns all places of a tree, the tree itself first.
func placesOf(tree any) (all []place) {
	var walk func(p place)
	walk = func(p place) {
		all = append(all, p)
		switch x := p.value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(x)) {
				walk(place{key, p.at + "." + key, x[key], func(v any) { x[key] = v }, func() { delete(x, key) }})
			}
		case []any:
			for i := range x {
				walk(place{p.key + "[]", p.at + "[]", x[i], func(v any) { x[i] = v }, nil})
			}
		}
	}
	walk(place{value: tree})
	return all
}
