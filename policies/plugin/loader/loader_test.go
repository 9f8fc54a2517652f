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

// TestRecorded runs greedy, and greedy in Python, on a recorded fleet: the result tables are the same,
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
	each, decided := len(set.Summaries)/2, len(set.Decisions)/2
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
	want := texts(set.Decisions[:decided])
	got := texts(set.Decisions[decided:])
	for k := range got {
		if got[k] != want[k] {
			t.Fatalf("decision %d: %s\nwant\n%s", k, got[k], want[k])
		}
	}
	if decided == 0 {
		t.Error("there are no decisions")
	}
}

// texts are decisions without the run and the policy.
func texts[T any](rows []T) (out []string) {
	for _, row := range rows {
		v := reflect.ValueOf(&row).Elem()
		v.FieldByName("Run").SetInt(0)
		v.FieldByName("Policy").SetZero()
		out = append(out, fmt.Sprintf("%+v", row))
	}
	return out
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"python3 nothing.py":         "python3 [python3 nothing.py]",
		"mine=python3 nothing.py -x": "mine [python3 nothing.py -x]",
		"python3 loader_test.go a=b": "loader_test [python3 loader_test.go a=b]",
	} {
		g, err := loader.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%s %v", g.Name, g.Command); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"": "has no program", "x=": "has no program",
		"./mine.wasm": "WebAssembly modules as policies are gone", "greedy=python3 a.py": `give yours another: my-greedy=`,
	} {
		if _, err := loader.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
