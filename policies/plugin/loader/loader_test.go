package loader_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// TestRecorded runs greedy, greedy in Python and greedy in C on a recorded fleet: the result tables are the same,
// but for the name of the policy and the number of the run.
func TestRecorded(t *testing.T) {
	testutil.Python(t)
	pulled.Dir(t, "bamboo-aws-p3")
	pulled.Dir(t, "dime-aws-spot-prices-us")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Parse(filepath.Join(here, "recorded.yaml"), []byte(`
name: recorded
seeds: 3
model: {published: spotdnn-resnet110, begin_loss: 4.605}
objectives: [{name: o, loss: 0.6, time_s: 14400}]
policies:
  - {name: greedy, settings: {poll_s: 300}}
  - {name: mine, settings: {poll_s: 300}, command: [python3, ../process/testdata/greedy.py]}
  - {name: c, settings: {poll_s: 300}, wasm: ../wasm/testdata/greedy.wasm}
market:
  traces:
    - {name: prices, path: "pulled:dime-aws-spot-prices-us", from: 2020-02-22T00:00:00Z}
    - {name: p3, path: "pulled:bamboo-aws-p3"}
  pools:
    - type: p3.2xlarge
      zone: us-east-1c
      quota: 8
      on_demand_quota: 8
      on_demand_usd_per_h: 3.06
      prices: {trace: prices, pool: us-east-1c/p3.2xlarge}
      capacity: {trace: p3}
      replay: {adapter: per_event}
`))
	if err != nil {
		t.Fatal(err)
	}
	s.AllowCommands()
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	set, err := study.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	each, decided := len(set.Summaries)/3, len(set.Decisions)/3
	if set.Summaries[0].Preemptions == 0 {
		t.Error("nothing was revoked: the comparison says little")
	}
	for i, got := range set.Summaries[each:] {
		want := set.Summaries[i%each]
		name := got.Policy
		got.Run, got.Policy = want.Run, want.Policy
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant\n%+v", name, got, want)
		}
	}
	for i, name := range []string{"mine", "c"} {
		without := map[string]string{"c": "Inputs"}[name] // it does not say what it decides by
		want, got := texts(set.Decisions[:decided], without), texts(set.Decisions[(i+1)*decided:(i+2)*decided], without)
		for k := range got {
			if got[k] != want[k] {
				t.Fatalf("%s, decision %d: %s\nwant\n%s", name, k, got[k], want[k])
			}
		}
	}
	if decided == 0 {
		t.Error("there are no decisions")
	}
}

// texts are decisions without the run, the policy, and a field if one is named.
func texts[T any](rows []T, without string) (out []string) {
	for _, row := range rows {
		v := reflect.ValueOf(&row).Elem()
		v.FieldByName("Run").SetInt(0)
		for _, name := range []string{"Policy", without} {
			if p := v.FieldByName(name); p.IsValid() {
				p.SetZero()
			}
		}
		out = append(out, fmt.Sprintf("%+v", row))
	}
	return out
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"python3 nothing.py":           "python3 [python3 nothing.py] ",
		"mine=python3 nothing.py -x":   "mine [python3 nothing.py -x] ",
		"python3 loader_test.go a=b":   "loader_test [python3 loader_test.go a=b] ",
		"./mine.wasm":                  "mine [] ./mine.wasm",
		"better=some/folder/mine.wasm": "better [] some/folder/mine.wasm",
	} {
		g, err := loader.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%s %v %s", g.Name, g.Command, g.Wasm); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"": "has no program", "x=": "has no program", "greedy=python3 a.py": `give yours another: my-greedy=`} {
		if _, err := loader.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
