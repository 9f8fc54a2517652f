package plugin_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// answers is a plug-in that answers every view alike.
type answers struct{ plan message.Plan }

func (*answers) Settings() ([]message.Setting, error) { return nil, nil }

func (*answers) Begin(*message.Begin) error { return nil }

func (a *answers) Decide(*message.View, func(*message.Ask) message.Answer) (*message.Plan, error) {
	return &a.plan, nil
}

func (*answers) End(int64) {}

func (*answers) Close() error { return nil }

// TestWrongWaits: what a plug-in cannot wait for is an error that says what was expected.
func TestWrongWaits(t *testing.T) {
	for text, want := range map[string]string{
		`{"wait_for":"grants"}`:                     `wait_for: "grants" is no event`,
		`{"wait_for":"wake"}`:                       `wait_for: "wake" is no event`,
		`{"wake_when":[{"done":0.5,"waited_s":1}]}`: "wake_when[0]: has 2 conditions",
		`{"wake_when":[{"job":0}]}`:                 "has 0 conditions",
		`{"wake_when":[{"done":1},{"below_usd_per_h":1}]}`: "wake_when[1]: has 1 conditions, expected one: " +
			"waited_s, done, whole_s, or a pool",
		`{"wake_when":[{"pool":99,"below_usd_per_h":1}]}`:                                 "pool 99 is not in the view",
		`{"wake_when":[{"job":-1,"done":1}]}`:                                             "job -1 or",
		`{"wake_when":[{"waited_s":-1}]}`:                                                 "a number is -1",
		`{"wake_when":[{"done":1,"every_s":0}]}`:                                          "every_s is 0",
		`{"wake_when":[` + strings.Repeat(`{"done":1},`, 1000) + `{"done":1}]}`:           "expected at most 1000",
		`{"wake_when":[{"waited_s":1e300,"every_s":1e300}],"wait_for":"","wake_s":1e300}`: "",
	} {
		carrier := &answers{}
		if err := json.Unmarshal([]byte(text), &carrier.plan); err != nil {
			t.Fatal(err)
		}
		if got := failure(t, carrier); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%.60s: %q, want %q", text, got, want)
		}
	}
}

// failure runs a plug-in and returns with what it failed.
func failure(t *testing.T, carrier plugin.Carrier) (text string) {
	t.Helper()
	defer func() {
		if err, failed := recover().(error); failed {
			text = err.Error()
		}
	}()
	p := plugin.New("answers", func() (plugin.Carrier, error) { return carrier, nil })
	w, err := sim.New(sim.Config{Market: simtest.Market(1, 6*time.Hour, sim.Never), Jobs: simtest.Jobs(1), Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
	return ""
}
