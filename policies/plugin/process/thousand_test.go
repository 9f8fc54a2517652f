package process_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/process"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

var drawn = flag.Int("hostile", 14, "number of drawn hostile plug-ins")

const (
	patience = 200 * time.Millisecond // of hostile programs
	maxTime  = 2 * time.Minute        // for a whole run, on a machine however busy: a plug-in that is never given up
	maxHeap  = 512 << 20              // bytes that this program may take from the system
)

// TestDrawn starts hostile programs that are drawn: each fails its run with a reason, or was no worse than a bad
// policy. None takes long or much memory of this program, or outlives its run.
// go test ./policies/plugin/process -run TestDrawn -hostile 1000 runs 1,000.
func TestDrawn(t *testing.T) {
	ends := map[string]int{}
	for n := range *drawn {
		kind := kinds[n%len(kinds)]
		began := time.Now()
		end := ran(t, fmt.Sprint(n))
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

// ran runs a job under a drawn plug-in, and says what became of it.
func ran(t *testing.T, n string) (end string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	carrier, err := process.Start(process.Command{Args: []string{"env", "PLUGIN=drawn", "DRAWN=" + n, self}, Policy: "hostile", Patience: patience})
	if err != nil {
		return "refused"
	}
	defer carrier.Close()
	defer func() {
		if x := recover(); x != nil {
			if failure := plugin.Fault(x); failure == nil || failure.Error() == "" {
				t.Errorf("%s: a panic that is no failure of a policy: %v", n, x)
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

// drawnPlugin is what this program does where DRAWN is the number of a plug-in.
func drawnPlugin(in *bufio.Scanner) {
	n, err := strconv.Atoi(os.Getenv("DRAWN"))
	if err != nil {
		os.Exit(2)
	}
	kinds[n%len(kinds)].do(in, rand.New(rand.NewPCG(uint64(n), 11)))
}

// kinds are what hostile programs do.
var kinds = []struct {
	name string
	do   func(in *bufio.Scanner, draw *rand.Rand)
}{
	{"no greeting", func(_ *bufio.Scanner, draw *rand.Rand) { fmt.Printf("%s\n", bytesOf(draw, draw.IntN(200))) }},
	{"a greeting and bytes", func(in *bufio.Scanner, draw *rand.Rand) {
		greet(in)
		fmt.Printf("%s\n", bytesOf(draw, draw.IntN(5000)))
	}},
	{"bytes of JSON", func(in *bufio.Scanner, draw *rand.Rand) { answers(in, changed(draw, wholeAnswer(draw))) }},
	{"JSON cut off", func(in *bufio.Scanner, draw *rand.Rand) {
		b := wholeAnswer(draw)
		answers(in, b[:draw.IntN(len(b))])
	}},
	{"numbers of JSON", func(in *bufio.Scanner, draw *rand.Rand) { answers(in, wholeAnswer(draw)) }},
	{"deep nesting", func(in *bufio.Scanner, draw *rand.Rand) {
		answers(in, []byte(strings.Repeat([]string{`{"ask":`, `{"jobs":[`, `[`, `{"inputs":[{"x":`}[draw.IntN(4)], draw.IntN(100_000))))
	}},
	{"long lists", func(in *bufio.Scanner, draw *rand.Rand) {
		answers(in, []byte(`{"`+[]string{"jobs", "inputs", "candidates", "wake_when"}[draw.IntN(4)]+`":[`+strings.Repeat("{},", draw.IntN(200_000))+`{}]}`))
	}},
	{"floods", func(in *bufio.Scanner, draw *rand.Rand) {
		greet(in)
		to := []io.Writer{os.Stdout, os.Stderr}[draw.IntN(2)]
		for b := bytesOf(draw, 1<<16); ; {
			if _, err := to.Write(b); err != nil {
				return
			}
		}
	}},
	{"questions", func(in *bufio.Scanner, draw *rand.Rand) {
		answers(in, fmt.Appendf(nil, `{"ask":{"job":%d,"instances":%d,"hold":[%d]}}`, number(draw), number(draw), number(draw)))
	}},
	{"byte by byte", func(in *bufio.Scanner, draw *rand.Rand) {
		greet(in)
		for _, b := range wholeAnswer(draw) {
			_, _ = os.Stdout.Write([]byte{b})
			time.Sleep(20 * time.Millisecond)
		}
	}},
	{"ends", func(in *bufio.Scanner, draw *rand.Rand) {
		greet(in)
		for range draw.IntN(4) {
			in.Scan()
			fmt.Println("{}")
		}
		fmt.Fprintln(os.Stderr, "the end")
		os.Exit(draw.IntN(256))
	}},
}

func bytesOf(draw *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(draw.Uint32())
	}
	return b
}

// changed is a copy with a few other bytes, or with a part of it twice.
func changed(draw *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + draw.IntN(8) {
		at := draw.IntN(len(b))
		if draw.IntN(3) == 0 {
			b = slices.Insert(b, at, b[at:min(len(b), at+draw.IntN(50))]...)
		} else {
			b[at] = byte(draw.Uint32())
		}
	}
	return b
}

// answers answers every view with a line.
func answers(in *bufio.Scanner, line []byte) { answering(string(line))(in) }

// number is one that few expect.
func number(draw *rand.Rand) int64 {
	return []int64{0, 1, -1, 1 << 20, 1<<20 + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 62, -1 << 63, draw.Int64N(100)}[draw.IntN(11)]
}

// wholeAnswer is a plan with much in it, in numbers that no policy has.
func wholeAnswer(draw *rand.Rand) []byte {
	x := func() string {
		return []string{"0", "-1", "1e300", "1e-320", "-0", "600", "1e999", "NaN", "null", `"a"`, "true", "[]", strconv.FormatInt(number(draw), 10)}[draw.IntN(13)]
	}
	fields := []string{`"wake_s":` + x(), `"because":"\u0000\ud800"`, `"hold":{"\u0000":` + x() + `}`, `"hold":[` + x() + `,` + x() + `]`, `"workers":` + x(),
		`"servers":` + x(), `"jobs":[{"job":` + x() + `,"hold":[` + x() + `]}]`, `"wait_for":"start+notice"`, `"wait_for":""`, `"again":true`,
		`"wake_when":[{"done":` + x() + `,"every_s":` + x() + `}]`, `"inputs":[{"name":"x","value":` + x() + `}]`, `"other":` + x()}
	var some []string
	for range 1 + draw.IntN(4) {
		some = append(some, fields[draw.IntN(len(fields))])
	}
	return []byte("{" + strings.Join(some, ",") + "}")
}
