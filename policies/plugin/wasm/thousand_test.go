package wasm_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/wasm"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

var hostile = flag.Int("hostile", 20, "number of drawn hostile plug-ins")

const (
	patience = 50 * time.Millisecond // of hostile modules
	maxTime  = 2 * time.Minute       // for a whole run, on a machine however busy: a plug-in that is never given up
	maxHeap  = 512 << 20             // bytes that this program may take from the system
)

// TestDrawn runs hostile modules that are drawn: each is refused, or fails its run with a reason, or was no
// worse than a bad policy. None takes long or much memory.
// go test ./policies/plugin/wasm ./policies/plugin/process -run TestDrawn -hostile 1000 runs 1,000 of each.
func TestDrawn(t *testing.T) {
	ends := map[string]int{}
	for n := range *hostile {
		kind := kinds[n%len(kinds)]
		draw := rand.New(rand.NewPCG(uint64(n), 7))
		began := time.Now()
		end := ran(t, fmt.Sprintf("%s %d", kind.name, n), kind.make(draw))
		if took := time.Since(began); took > maxTime {
			t.Errorf("%s %d took %v", kind.name, n, took)
		}
		ends[kind.name+": "+end]++
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.Sys > maxHeap {
		t.Errorf("%d MB of memory, expected at most %d", m.Sys>>20, maxHeap>>20)
	}
	for _, kind := range kinds {
		t.Logf("%-24s refused %d, failed %d, ran %d", kind.name, ends[kind.name+": refused"], ends[kind.name+": failed"], ends[kind.name+": ran"])
	}
}

// ran runs a job under a module, and says what became of it.
func ran(t *testing.T, name string, module []byte) (end string) {
	t.Helper()
	carrier, err := wasm.Open(wasm.Module{Path: written(t, module), Patience: patience, MemoryMB: 8})
	if err != nil {
		return "refused"
	}
	defer carrier.Close()
	defer func() {
		if x := recover(); x != nil {
			if failure := plugin.Fault(x); failure == nil || failure.Error() == "" {
				t.Errorf("%s: a panic that is no failure of a policy: %v", name, x)
			}
			end = "failed"
		}
	}()
	policy := plugin.New("hostile", func() (plugin.Carrier, error) { return carrier, nil })
	w, err := sim.New(sim.Config{Market: simtest.Market(3, time.Hour, sim.Never), Jobs: simtest.Jobs(1), Policy: policy, Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
	return "ran"
}

// kinds are what hostile modules do.
var kinds = []struct {
	name string
	make func(draw *rand.Rand) []byte
}{
	{"bytes of a module", func(draw *rand.Rand) []byte { return changed(draw, idle().module()) }},
	{"bytes of greedy", func(draw *rand.Rand) []byte { return changed(draw, greedy) }},
	{"a module cut off", func(draw *rand.Rand) []byte { return greedy[:draw.IntN(len(greedy))] }},
	{"random bytes", func(draw *rand.Rand) []byte {
		b := []byte("\x00asm\x01\x00\x00\x00")
		for range draw.IntN(1000) {
			b = append(b, byte(draw.Uint32()))
		}
		return b
	}},
	{"random instructions", func(draw *rand.Rand) []byte { return anywhere(draw, instructions(draw, 1+draw.IntN(60))) }},
	{"endless loops", func(draw *rand.Rand) []byte {
		depth := 1 + draw.IntN(20)
		body := slices.Repeat([]byte{opLoop, empty}, depth)
		body = append(append(body, heavy(draw)...), opBranch, byte(draw.IntN(depth)))
		return anywhere(draw, append(body, slices.Repeat([]byte{opEnd}, depth)...))
	}},
	{"endless calls", func(draw *rand.Rand) []byte { return anywhere(draw, twice(20+draw.Int64N(1<<20))) }},
	{"memory bombs", func(draw *rand.Rand) []byte {
		pages := i32(1 << draw.IntN(20))
		return anywhere(draw, append(append([]byte{opLoop, empty}, pages...), opGrow, 0, opDrop, opBranch, 0, opEnd))
	}},
	{"tables", func(draw *rand.Rand) []byte {
		p := idle()
		p.table = append([]byte{1, 0x70, 0}, leb(uint64(draw.Uint32())>>draw.IntN(32))...)
		return p.module()
	}},
	{"deep nesting", func(draw *rand.Rand) []byte {
		depth := 1 << draw.IntN(13)
		body := slices.Repeat([]byte{byte(0x02 + draw.IntN(2)), empty}, depth)
		return anywhere(draw, append(body, slices.Repeat([]byte{opEnd}, depth)...))
	}},
	{"many blocks", func(draw *rand.Rand) []byte { // a compiler takes the square of their number
		return anywhere(draw, slices.Repeat([][]byte{{opLoop, empty, opEnd}, append(i32(1), opIf, empty, opEnd)}[draw.IntN(2)], 1<<draw.IntN(13)))
	}},
	{"long functions", func(draw *rand.Rand) []byte {
		return anywhere(draw, slices.Repeat(append(i32(draw.Int64()&0xffff), opDrop), draw.IntN(50_000)))
	}},
	{"texts of any length", func(draw *rand.Rand) []byte {
		p := idle()
		p.texts = true
		for range 4 {
			p.begin = append(p.begin, i32(int64(int32(draw.Uint32()>>draw.IntN(32))))...)
		}
		p.begin = append([]byte{opLoop, empty}, append(p.begin, opCall, 0, opDrop, opBranch, 0, opEnd)...)
		return p.module()
	}},
	{"bytes of a plan", func(draw *rand.Rand) []byte { return saying(changed(draw, wholePlan(draw).AppendFlat(nil))) }},
	{"a plan cut off", func(draw *rand.Rand) []byte {
		b := wholePlan(draw).AppendFlat(nil)
		return saying(b[:draw.IntN(len(b))])
	}},
	{"numbers of a plan", func(draw *rand.Rand) []byte { return saying(wholePlan(draw).AppendFlat(nil)) }},
	{"any place of a plan", func(draw *rand.Rand) []byte {
		p := idle()
		p.decide = i64(int64(draw.Uint64()))
		return p.module()
	}},
}

// changed is a copy with a few other bytes, or with a part of it twice.
func changed(draw *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 << draw.IntN(4) {
		at := draw.IntN(len(b))
		switch draw.IntN(4) {
		case 0:
			b[at] ^= 1 << draw.IntN(8)
		case 1:
			b[at] = byte(draw.Uint32())
		case 2:
			b = slices.Insert(b, at, b[at:min(len(b), at+draw.IntN(50))]...)
		default:
			b[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[draw.IntN(5)]
		}
	}
	return b
}

// anywhere is a module one of whose functions begins with a body.
func anywhere(draw *rand.Rand, body []byte) []byte {
	p := idle()
	in := []*[]byte{&p.version, &p.buffer, &p.begin, &p.decide}[draw.IntN(4)]
	*in = append(body, *in...)
	return p.module()
}

// heavy is a piece of work: nothing, filling memory, or growing it.
func heavy(draw *rand.Rand) []byte {
	fill := append(append(append(i32(0), i32(1)...), i32(65536)...), 0xfc, 11, 0)
	return [][]byte{nil, fill, append(i32(1), opGrow, 0, opDrop)}[draw.IntN(3)]
}

// instructions are drawn ones, most of them of no use.
func instructions(draw *rand.Rand, n int) (b []byte) {
	for range n {
		if draw.IntN(2) == 0 {
			b = append(b, i32(int64(int32(draw.Uint32())))...)
			continue
		}
		b = append(b, byte(draw.Uint32()))
	}
	return b
}

func leb(x uint64) (b []byte) {
	for ; x > 0x7f; x >>= 7 {
		b = append(b, byte(x)|0x80)
	}
	return append(b, byte(x))
}

// saying is a module that answers with bytes, whatever it is asked.
func saying(plan []byte) []byte {
	if len(plan) > 1000 {
		plan = plan[:1000]
	}
	p := idle()
	p.data, p.decide = plan, i64(planAt<<32|int64(len(plan)))
	return p.module()
}

// wholePlan is a plan with everything in it, in numbers that no policy has.
func wholePlan(draw *rand.Rand) *message.Plan {
	number := func() *float64 {
		payload := math.Float64frombits(0x7ff8_0000_0000_0000 | draw.Uint64()>>13)
		x := []float64{payload, -payload, math.Inf(1), math.Inf(-1), 0, -1, 1e-300, 1e300, 5e-324, 600, draw.NormFloat64()}[draw.IntN(11)]
		return &x
	}
	count := func() *int {
		n := []int{0, 1, 2, 1 << 20, 1<<20 + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, draw.IntN(100)}[draw.IntN(9)]
		return &n
	}
	names := []string{"", "notice", "notice+gone", "start", "+", "\x00\xff"}[draw.IntN(6)]
	p := &message.Plan{WakeS: number(), Again: draw.IntN(2) == 0, Because: "\x00\xff\"", WaitFor: &names}
	for range draw.IntN(3) {
		p.WakeWhen = append(p.WakeWhen, message.Condition{Job: count(), Pool: count(), WaitedS: number(), EveryS: number()})
		p.Inputs = append(p.Inputs, message.Input{Name: "n", Value: *number()})
		p.Candidates = append(p.Candidates, message.Candidate{Name: "c", Score: *number(), Chosen: true})
		hold := message.Hold{ByPool: []int{*count(), *count()}}
		p.Jobs = append(p.Jobs, message.JobPlan{Job: count(), Hold: &hold, Pipelines: count(), Stages: count(), Workers: count(), Servers: count(),
			Save: true, Refill: true})
	}
	return p
}
