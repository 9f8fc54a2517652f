package pipeline

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/testutil"
)

func equalStages(p, m int, f, b, send, reduce time.Duration) *step {
	st := &step{MicroBatches: m, Send: send, AllReduce: reduce}
	for range p {
		st.Stages = append(st.Stages, stageTime{f, b})
	}
	return st
}

// The rows without jitter of Varuna's simulator, to the microsecond. Each of its
// stages is on a machine of its own: sends take its long time.
func TestVarunaSimulator(t *testing.T) {
	compared := 0
	for _, r := range testutil.Rows(t, "papers/varuna/testdata/varuna_minibatch_sim.csv") {
		if r["variant"] != "nojitter" || r["schedule"] == "1f1b" { // its 1F1B ends in an error
			continue
		}
		us := func(column string) time.Duration {
			return time.Duration(testutil.Number(t, r[column])) * time.Microsecond
		}
		s, err := ParseSchedule(r["schedule"])
		if err != nil {
			t.Fatal(err)
		}
		st := equalStages(int(testutil.Number(t, r["P"])), int(testutil.Number(t, r["M"])), us("fwd_us"), us("bwd_us"), us("long_send_us"), us("allreduce_us"))
		if got := strconv.FormatInt(st.Time(s).Microseconds(), 10); got != r["minibatch_us"] {
			t.Errorf("%v: %s us", r, got)
		}
		compared++
	}
	if compared != 32 {
		t.Errorf("%d rows compared, the oracle has 32", compared)
	}
}

// Four of these rows, wherever the tests run.
func TestVarunaSteps(t *testing.T) {
	for size, us := range map[[2]int]int64{{4, 8}: 2_200_000, {8, 16}: 4_500_000, {12, 128}: 27_800_000, {16, 512}: 105_400_000} {
		st := equalStages(size[0], size[1], 50*time.Millisecond, 100*time.Millisecond, 0, 100*time.Millisecond)
		if got := st.Time(Varuna).Microseconds(); got != us {
			t.Errorf("%d stages, %d micro-batches: %d us, want %d", size[0], size[1], got, us)
		}
	}
}

// Equal stages against the closed forms of Step.Time.
func TestScheduleClosedForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, m := rapid.IntRange(1, 12).Draw(t, "stages"), rapid.IntRange(1, 40).Draw(t, "micro-batches")
		span := func(name string, smallest int) time.Duration {
			return time.Duration(rapid.IntRange(smallest, 1000).Draw(t, name)) * time.Microsecond
		}
		f, b, send, reduce := span("forward", 1), span("backward", 1), span("send", 0), span("all-reduce", 0)
		st := equalStages(p, m, f, b, send, reduce)
		P, M := time.Duration(p), time.Duration(m)
		if want := M*(2*f+b) + (P-1)*(f+b+2*send) + reduce; st.Time(GPipe) != want {
			t.Errorf("GPipe %v, want %v", st.Time(GPipe), want)
		}
		st.Send = 0
		if want := (M+P-1)*(f+b) + reduce; st.Time(OneFOneB) != want {
			t.Errorf("1F1B %v, want %v", st.Time(OneFOneB), want)
		}
	})
}

// Whatever the stages, no schedule beats the work of its busiest stage or one
// micro-batch's way through the pipeline, and each ends.
func TestScheduleBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := &step{MicroBatches: rapid.IntRange(1, 30).Draw(t, "micro-batches"), Send: time.Duration(rapid.IntRange(0, 50).Draw(t, "send"))}
		var way, busiest [3]time.Duration // by schedule
		for p := range rapid.IntRange(1, 8).Draw(t, "stages") {
			f, b := time.Duration(rapid.IntRange(1, 100).Draw(t, "forward")), time.Duration(rapid.IntRange(1, 100).Draw(t, "backward"))
			st.Stages = append(st.Stages, stageTime{f, b})
			for s := range way {
				if way[s] += f + b; p > 0 {
					way[s] += 2 * st.Send
				}
				work := f + b
				if Schedule(s) == GPipe {
					work += f
				}
				busiest[s] = max(busiest[s], time.Duration(st.MicroBatches)*work)
			}
		}
		for s := range way {
			if got := st.Time(Schedule(s)); got < max(way[s], busiest[s]) {
				t.Errorf("%s: %v, at least %v and %v", schedules[s], got, way[s], busiest[s])
			}
		}
	})
}

func BenchmarkSchedule(b *testing.B) {
	for _, size := range [][2]int{{8, 64}, {16, 512}} {
		for s, name := range schedules {
			b.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(b *testing.B) {
				st := equalStages(size[0], size[1], 50*time.Millisecond, 100*time.Millisecond, 0, 0)
				for b.Loop() {
					st.Time(Schedule(s))
				}
			})
		}
	}
}
