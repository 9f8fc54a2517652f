package process_test

import (
	"bufio"
	"encoding/json"
	"fmt"
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
	"a former form": {func(in *bufio.Scanner) { fmt.Println(`{"v":1,"format":"binary"}`); wait() },
		"other forms of the messages are gone"},
	"no JSON":        {answering(`hold 3`), "invalid character"},
	"an unknown key": {answering(`{"wake":60}`), `unknown field "wake"`},
	"no number":      {answering(`{"wake_s":1e999}`), "cannot unmarshal number"},
	"a nest":         {answering(strings.Repeat(`{"ask":`, 100_000)), "exceeded max depth"},
	"asks for ever":  {asking, "more than 100000 questions"},
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

// FuzzPlan reads broken answers of programs: an error or a plan that can be written, no panic.
func FuzzPlan(f *testing.F) {
	f.Add([]byte(`{"hold":[1,2],"because":"why","jobs":[{"job":0,"hold":{"a":1}}]}`))
	f.Add([]byte(`{"ask":{"instances":2}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		plan := new(message.Plan)
		if process.Strict(b, plan) != nil {
			return
		}
		if _, err := json.Marshal(plan); err != nil {
			t.Errorf("%s is read as %+v, which cannot be written: %v", b, plan, err)
		}
	})
}
