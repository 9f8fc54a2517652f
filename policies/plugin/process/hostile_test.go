package process_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/process"
)

// hostile are what this very program does where the variable PLUGIN names one: hostile plug-ins, by name,
// and the error that they end with.
var hostile = map[string]struct {
	do   func(in *bufio.Scanner)
	want string
}{
	"silent":         {func(in *bufio.Scanner) { wait() }, "no answer within"},
	"ends at once":   {func(in *bufio.Scanner) {}, "it ended, or closed"},
	"ends later":     {func(in *bufio.Scanner) { greet(in) }, "it ended, or closed"},
	"talks too much": {func(in *bufio.Scanner) { flood("a") }, "an answer of more than"},
	"last words": {func(in *bufio.Scanner) {
		fmt.Fprintln(os.Stderr, "out of ideas")
		os.Exit(3)
	}, "its last words: out of ideas"},
	"another version": {func(in *bufio.Scanner) { fmt.Println(`{"v":2}`); wait() }, "it speaks version 2"},
	"another form":    {func(in *bufio.Scanner) { fmt.Println(`{"v":1,"format":"xml"}`); wait() }, `format is "xml"`},
	"no JSON":         {answering(`hold 3`), "invalid character"},
	"an unknown key":  {answering(`{"wake":60}`), `unknown field "wake"`},
	"no number":       {answering(`{"wake_s":1e999}`), "cannot unmarshal number"},
	"a nest":          {answering(strings.Repeat(`{"ask":`, 100_000)), "exceeded max depth"},
	"asks for ever":   {asking, "more than 100000 questions"},
	"a frame of 4 GB": {binary("\xff\xff\xff\xff"), "an answer of 4294967295 bytes"},
	"a list of 4 G jobs": {binary("\x18\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 12) + "\xff\xff\xff\xff"),
		"a list of 4294967295 elements"},
	"a frame of nothing":  {binary("\x00\x00\x00\x00"), "the message ends 4 bytes too early"},
	"a frame of no kind":  {binary("\x04\x00\x00\x00\x09\x00\x00\x00"), "a message of kind 9"},
	"more than a message": {binary("\x08\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00"), "too early"},
}

func TestMain(m *testing.M) {
	if os.Getenv("PLUGIN") == "drawn" {
		drawnPlugin(bufio.NewScanner(os.Stdin))
		os.Exit(0)
	}
	if os.Getenv("PLUGIN") == "some" {
		somePlugin()
		os.Exit(0)
	}
	if g, is := hostile[os.Getenv("PLUGIN")]; is {
		g.do(bufio.NewScanner(os.Stdin))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func wait() { time.Sleep(time.Minute) }

func greet(in *bufio.Scanner) {
	in.Scan()
	fmt.Println(`{"v":1}`)
}

func flood(text string) {
	for {
		if _, err := fmt.Print(strings.Repeat(text, 1<<16)); err != nil {
			return
		}
	}
}

// answering answers every view with a line.
func answering(line string) func(*bufio.Scanner) {
	return func(in *bufio.Scanner) {
		greet(in)
		in.Scan() // the beginning of a run
		for in.Scan() {
			fmt.Println(line)
		}
	}
}

func asking(in *bufio.Scanner) {
	greet(in)
	in.Scan()
	for in.Scan() {
		fmt.Println(`{"ask":{"instances":1}}`)
	}
}

// binary answers the first view with bytes.
func binary(answer string) func(*bufio.Scanner) {
	return func(in *bufio.Scanner) {
		in.Scan()
		fmt.Println(`{"v":1,"format":"binary"}`)
		fmt.Print(answer)
		wait()
	}
}

// TestProgramsHostile starts plug-ins that do not keep to the rules: each ends with an error that says why, and
// none outlives it.
func TestProgramsHostile(t *testing.T) {
	for name, g := range hostile {
		t.Run(name, func(t *testing.T) {
			patience := slow
			if name == "silent" {
				patience = 200 * time.Millisecond
			}
			err := tried(t, name, patience)
			if err == nil || !strings.Contains(err.Error(), g.want) {
				t.Errorf("%v, want %q", err, g.want)
			}
		})
	}
}

// tried starts a plug-in and asks it once.
func tried(t testing.TB, name string, patience time.Duration) error {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	carrier, err := process.Start(process.Command{Args: []string{"env", "PLUGIN=" + name, self}, Policy: "hostile", Patience: patience})
	if err != nil {
		return err
	}
	defer carrier.Close()
	return ask(carrier)
}

func ask(carrier interface {
	Begin(*message.Begin) error
	Decide(*message.View, func(*message.Ask) message.Answer) (*message.Plan, error)
}) error {
	run := message.Begin{Type: "begin", Pools: make([]message.Pool, 2)}
	if err := carrier.Begin(&run); err != nil {
		return err
	}
	_, err := carrier.Decide(&message.View{Type: "decide", World: run.World, Prices: []float64{1, 2}},
		func(*message.Ask) message.Answer { return message.Answer{} })
	return err
}

// TestBroken feeds the parsers of answers with broken ones.
func TestBroken(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	plan := message.Plan{Because: "why", Jobs: []message.JobPlan{{Job: new(int), Hold: &message.Hold{ByPool: []int{1, 2}}}}}
	whole := plan.AppendFlat(nil)
	for range 10_000 {
		b := append([]byte(nil), whole[:draw.IntN(len(whole)+1)]...)
		for range draw.IntN(4) {
			if len(b) > 0 {
				b[draw.IntN(len(b))] = byte(draw.Uint32())
			}
		}
		_, _ = message.ParseFlat(b) // it does not panic, nor take memory that the message cannot fill
	}
}
