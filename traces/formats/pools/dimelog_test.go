package pools

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// A failure without a zone belongs to the zone whose turn it is: while b has a
// machine to c, then to b and c by turns.
func TestDimeLog(t *testing.T) {
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.out", testutil.DimeLog))
	const want = `10:00:00 i-1 launch unknown us-east-1b/p2.xlarge
10:00:30 i-2 launch unknown us-east-1c/p3.2xlarge
10:01:00  launch_fail unknown us-east-1c/p2.xlarge
10:10:00 i-1 preempt unknown us-east-1b/p2.xlarge
10:10:01 i-1 terminate user us-east-1b/p2.xlarge
10:10:30  launch_fail unknown us-east-1b/p2.xlarge
10:10:31 i-2 running unknown us-east-1c/p3.2xlarge
10:11:00  launch_fail unknown us-east-1c/p2.xlarge
10:20:00  launch_fail unknown us-east-1b/p2.xlarge
10:20:01 i-2 running unknown us-east-1c/p3.2xlarge
10:20:30 i-3 launch unknown us-east-1c/p2.xlarge
`
	if got := tracetest.EventsText(s); got != want {
		t.Errorf("events\n%s\nexpected\n%s", got, want)
	}
	if e := s.InstanceEvents[3]; e.UncertainUs != 600e6 || e.NoticeUs != nil {
		t.Errorf("%+v: expected a loss since it was last seen, and no notice", e)
	}
	m := s.Manifest
	if m.ClockKind != traces.ClockUnknownTZ || m.Semantics != traces.SemanticsHeld || m.Cap != 1 || !strings.Contains(strings.Join(m.Notes, "\n"),
		"zone is not known") {
		t.Errorf("manifest %+v", m)
	}
	if r.LogCounts != (traces.LogCounts{Lines: 11, Created: 3, Failed: 4, Running: 2, NotRunning: 1, Deleted: 1}) {
		t.Errorf("counts %+v", r.LogCounts)
	}
	st := describe.Stats(s)
	if p := st.Pools[0]; p.Pool != "us-east-1b/p2.xlarge" || p.Rows != 4 || p.Ones != 1 || p.DropEvents != 1 {
		t.Errorf("pool %+v", p)
	}
}

// A slot's name is used again: a life ends where the slot does not run.
func TestDimeSlots(t *testing.T) {
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "g.out", strings.ReplaceAll(`[2020-03-01T10:00:00.000Z] Instance instance0 creation failed
[2020-03-01T10:00:00.000Z] Instance instance0 not running in zone us-west1-b
[2020-03-01T10:00:30.000Z] Instance instance1 creation failed
[2020-03-01T10:00:31.000Z] Instance instance1 not running in zone us-east1-c
[2020-03-01T10:10:00.000Z] Created instance instance0 with 1 GPU(s) of type nvidia-tesla-v100 in zone us-west1-b
[2020-03-01T10:10:01.000Z] Instance instance0 running in zone us-west1-b
[2020-03-01T10:20:00.000Z] Instance instance0 not running in zone us-west1-b
[2020-03-01T10:20:10.000Z] Successfully deleted instance instance0
[2020-03-01T10:21:00.000Z] Created instance instance0 with 1 GPU(s) of type nvidia-tesla-v100 in zone us-west1-b
[2020-03-01T10:21:01.000Z] Instance instance0 running in zone us-west1-b
`, "\n", "\r\n")))
	const want = `10:00:00 instance0 launch_fail unknown us-west1-b/1xV100
10:00:30 instance1 launch_fail unknown us-east1-c/instance1
10:10:00 instance0 launch unknown us-west1-b/1xV100
10:10:01 instance0 running unknown us-west1-b/1xV100
10:20:00 instance0 preempt unknown us-west1-b/1xV100
10:20:10 instance0 terminate user us-west1-b/1xV100
10:21:00 instance0 launch unknown us-west1-b/1xV100
10:21:01 instance0 running unknown us-west1-b/1xV100
`
	if got := tracetest.EventsText(s); got != want {
		t.Errorf("events\n%s\nexpected\n%s", got, want)
	}
	if len(s.Pools) != 2 || s.Pools[1].Cloud != "gcp" || s.Pools[1].GPUCount != 1 || r.NotRunning != 3 {
		t.Errorf("pools %+v, %+v", s.Pools, r.LogCounts)
	}
}

func TestDimeErrors(t *testing.T) {
	const made = "[2020-03-15T10:00:00.000Z] Created instance i-1 with 1 GPU(s) of type k80 in zone us-east-1b\n"
	for name, c := range map[string]struct{ text, want string }{
		"other line": {made + "[2020-03-15T10:00:00.000Z] Rebooted instance i-1\n",
			`f:2:1: "[2020-03-15T10:00:00.000Z] Rebooted instance i-1", expected a line of the log`},
		"no GPU":        {made + strings.Replace(made, "1 GPU", "0 GPU", 1), "expected a line of the log"},
		"time":          {made + "[2020-03-15 10:00] Instance i-1 creation failed\n", "expected a line of the log"},
		"time of no zo": {made + "[2020-03-15T10:00:00.000] Instance i-1 creation failed\n", `f:2:2: time "2020-03-15T10:00:00.000"`},
		"time back":     {made + strings.Replace(made, "10:00:00", "09:00:00", 1), "f:2:2: time goes back from 2020-03-15T10:00:00.000Z (line 1)"},
		"created twice": {made + made, `f:2:45: instance "i-1" is created, but is there`},
		"moved": {made + "[2020-03-15T10:01:00.000Z] Instance i-1 running in zone us-east-1c\n",
			`f:2:37: instance "i-1" in zone us-east-1c, and elsewhere in us-east-1b`},
		"other kind":    {made + strings.Replace(made, "1 GPU", "8 GPU", 1), `instance "i-1" has 8 GPU(s) of type K80`},
		"never created": {made + "[2020-03-15T10:01:00.000Z] Instance i-2 running in zone us-east-1c\n", `instance "i-2" is running, but was not created`},
		"fails, runs":   {made + "[2020-03-15T10:01:00.000Z] Instance i-1 creation failed\n", `creation of "i-1" failed, but it is there`},
		"deleted":       {made + "[2020-03-15T10:01:00.000Z] Successfully deleted instance i-9\n", `instance "i-9" is in no zone by any line`},
	} {
		_, _, err := formats.Import("dime-log", []string{tracetest.File(t, "f", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
	a := tracetest.File(t, "a.out", made)
	if _, _, err := formats.Import("", []string{a, tracetest.File(t, "b.out", made)}, traces.Options{}); err == nil ||
		!strings.Contains(err.Error(), "second file of pool us-east-1b/p2.xlarge") {
		t.Errorf("two logs of one pool: %v", err)
	}
}

func TestGoldenDimeLogs(t *testing.T) {
	for entry, path := range map[string][]string{
		"dime-availability-logs/persistent_2020-03-15.out@aws": {"aws_availability", "persistent_2020-03-15.out"},
		"dime-availability-logs/persistent_2020-03-01.out@gcp": {"gcp", "availability", "persistent_2020-03-01.out"},
	} {
		log := tracetest.Recorded(t, append([]string{"dime-availability-logs"}, path...)...)
		var want map[string]any
		tracetest.Golden(t, entry, &want)
		if len(want) != 6 {
			t.Fatalf("golden has %v", want)
		}
		s, r := tracetest.Import(t, "", traces.Options{}, log)
		tracetest.Same(t, want, r)
		preempted := 0
		for _, e := range s.InstanceEvents {
			if e.Kind == traces.KindPreempt {
				preempted++
			}
		}
		if float64(preempted) != want["deleted"] { // every machine found gone is deleted, and no other
			t.Errorf("%s: %d machines taken, golden %v deleted", entry, preempted, want["deleted"])
		}
	}
}

// The published figures of specs/traces.md section 1.1, rows 4b and 4c.
func TestDimeAvailability(t *testing.T) {
	check := near.Count(t)
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "dime-availability-logs", "aws_availability"))
	st := describe.Stats(s)
	for pool, want := range map[string]float64{
		"us-east-1b/p3.2xlarge": 1, "us-east-1c/p3.16xlarge": 1, "us-east-1c/p2.xlarge": .819, "us-east-1c/p2.8xlarge": .203, "us-east-1b/p2.8xlarge": .984,
	} {
		if got := *st.Pools[s.PoolNamed(pool)].Availability; check.Off(got, want, .005) {
			t.Errorf("%s: availability %.4f, published %.3f", pool, got, want)
		}
	}
	if len(st.Pools) != 8 || st.DropEvents != 32 || check.Off(st.Hours, 53.5, .2) {
		t.Errorf("%d pools, %d losses in %.2f h, published 32 in 53.5 h, in 2 zones of 4 kinds", len(st.Pools), st.DropEvents, st.Hours)
	}
	s, _ = tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "dime-availability-logs", "gcp", "availability", "persistent_2020-03-01.out"))
	st = describe.Stats(s)
	kinds := make([]map[string]int, len(s.Pools))
	for _, e := range s.InstanceEvents {
		if kinds[e.PoolID] == nil {
			kinds[e.PoolID] = map[string]int{}
		}
		kinds[e.PoolID][e.Kind]++
	}
	low, high, slots := 1., 0., 0
	for i, p := range st.Pools {
		if p.Ones == 0 {
			continue
		}
		// Published is the share of running among the lines that say whether it
		// is; ours is weighted by time, and lower by the minutes of a new start.
		running, gone := kinds[i][traces.KindRunning], p.Rows-p.Ones-kinds[i][traces.KindLaunchFail]
		lines := float64(running) / float64(running+gone)
		if check.Off(lines, *p.Availability, .025) {
			t.Errorf("%s: availability %.3f, by lines %.3f", p.Pool, *p.Availability, lines)
		}
		low, high, slots = min(low, lines), max(high, lines), slots+1
	}
	if len(st.Pools) != 9 || slots != 8 || check.Off(low, .58, .005) || check.Off(high, .93, .005) {
		t.Errorf("%d of %d slots with machines, availability %.3f to %.3f, published 8 of 9, .58 to .93", slots, len(st.Pools), low, high)
	}
	if st.DropEvents != 417 || check.Off(st.Hours, 68.8, .3) {
		t.Errorf("%d losses in %.2f h, published 417 in 68.8 h", st.DropEvents, st.Hours)
	}
}
