package throughput

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

const (
	kindsCSV         = "kind,tasks,family,gpus,vcpus,memory_gb,iterations_per_s,init_s\nbert,2,p3,1,4,24,0.5,30\nbert,2,,0,8,16,0.5,30\n"
	typesCSV         = "type,family,gpus,vcpus,memory_gb,usd_per_h,boot_s\nbig,p3,4,32,244,12.24,60\n"
	instancePairsCSV = "kind,beside,keeps\nbert,bert,0.8\n"
)

func TestTables(t *testing.T) {
	kinds, err := readKinds("kinds.csv", strings.NewReader(kindsCSV))
	if err != nil || len(kinds) != 1 || kinds[0].Tasks != 2 || kinds[0].Times.Init != 30*time.Second {
		t.Fatalf("%+v, %v", kinds, err)
	}
	for family, want := range map[string]sim.Resources{"p3": {1, 4, 24}, "c7i": {0, 8, 16}} {
		if got, runs := kinds[0].On(family); !runs || got != want {
			t.Errorf("on %s %v, %v, expected %v", family, got, runs, want)
		}
	}
	types, err := readTypes("types.csv", strings.NewReader(typesCSV))
	if err != nil || len(types) != 1 || types[0].Full != (sim.Resources{4, 32, 244}) || types[0].Boot != time.Minute || FindType(types, "big") == nil ||
		FindType(types, "x") != nil {
		t.Fatalf("%+v, %v", types, err)
	}
	pairs, err := readPairs("pairs.csv", strings.NewReader(instancePairsCSV))
	if err != nil || pairs[[2]string{"bert", "bert"}] != 0.8 {
		t.Fatalf("%+v, %v", pairs, err)
	}
	if k, ty, p := evaKinds(), evaTypes(), evaPairs(false); len(k) == 0 || len(ty) == 0 || len(p) != 81 || len(evaPairs(true)) != 61 {
		t.Errorf("Eva's tables have %d kinds, %d types and %d pairs", len(k), len(ty), len(p))
	}
}

// TestWrongTables: every mistake names the file, the line and what was expected.
func TestWrongTables(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(kindsCSV, "bert,2,,", "bert,2,p3,", 1):      `kinds.csv:3:1: kind: "bert" on family "p3" is given twice`,
		strings.Replace(kindsCSV, "bert,2,,", "bert,3,,", 1):        "other tasks",
		strings.Replace(kindsCSV, "bert,2,p3", "bert,0,p3", 1):      "kinds.csv:2:6: tasks",
		strings.Replace(kindsCSV, "0.5,30\nbert", "-1,30\nbert", 1): "kinds.csv:2:18: iterations_per_s",
		strings.Replace(kindsCSV, "4,24", "4,NaN", 1):               "kinds.csv:2:15: memory_gb",
		"kind,tasks\nbert,1\n":                                      "kinds.csv",
	} {
		if _, err := readKinds("kinds.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		typesCSV + "big,p3,4,32,244,12.24,60\n":             `types.csv:3:1: type: "big", expected the name of a type, each once`,
		strings.Replace(typesCSV, "4,32,244", "0,0,0", 1):   "types.csv:2:8: gpus",
		strings.Replace(typesCSV, "12.24", "1e300", 1):      "types.csv:2:17: usd_per_h",
		strings.Replace(typesCSV, "12.24,60", "12.24,x", 1): "types.csv:2:23: boot_s",
	} {
		if _, err := readTypes("types.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		instancePairsCSV + "bert,bert,0.7\n":               `pairs.csv:3:1: kind: "bert" next to "bert" is given twice`,
		strings.Replace(instancePairsCSV, "0.8", "1.1", 1): "pairs.csv:2:11: keeps",
		strings.Replace(instancePairsCSV, "0.8", "0", 1):   "pairs.csv:2:11: keeps",
	} {
		if _, err := readPairs("pairs.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// FuzzTables: what is read has names, and tasks that need something or nothing, never a number that is not finite.
func FuzzTables(f *testing.F) {
	for _, text := range []string{kindsCSV, typesCSV, instancePairsCSV} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kinds, err := readKinds("f", strings.NewReader(text))
		for _, k := range kinds {
			if err == nil && (k.Name == "" || k.Tasks < 1 || !(k.Speed > 0) || len(k.Needs) == 0) {
				t.Errorf("%+v", k)
			}
		}
		types, err := readTypes("f", strings.NewReader(text))
		for _, x := range types {
			if err == nil && (x.Name == "" || x.Full == (sim.Resources{}) || !(x.USD >= 0 && x.USD <= maxUSD)) {
				t.Errorf("%+v", x)
			}
		}
		pairs, err := readPairs("f", strings.NewReader(text))
		for _, x := range pairs {
			if err == nil && !(x > 0 && x <= 1) {
				t.Errorf("%v", pairs)
			}
		}
	})
}
