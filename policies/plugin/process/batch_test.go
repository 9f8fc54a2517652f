package process_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/process"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// TestProgramsBatch runs seeds one by one, and in batches of several sizes: totals are the same, and the same runs fail
// for the same reason, whatever a plug-in does: it answers, asks, ends, hangs, or misspeaks in some of its runs.
func TestProgramsBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, kind := range []string{"good", "ends", "misspeaks", "plans nonsense"} {
		if wrong := batches(t, kind, slow); wrong != "" {
			t.Errorf("%s: %s", kind, wrong)
		}
	}
	// On a busy machine a plug-in that does not hang may take longer than a short patience.
	for patience := 100 * time.Millisecond; ; patience *= 3 {
		wrong := batches(t, "hangs", patience)
		if wrong == "" {
			break
		}
		if patience > 5*time.Second {
			t.Fatalf("hangs, patience %v: %s", patience, wrong)
		}
	}
}

// batches says in what runs in batches of plug-ins of a kind differ from runs one by one.
func batches(t *testing.T, kind string, patience time.Duration) (wrong string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	open := func() (plugin.Carrier, error) {
		return process.Start(process.Command{Args: []string{"env", "PLUGIN=some", "KIND=" + kind, self}, Policy: "some",
			Patience: patience})
	}
	want := together(t, open, 1, false)
	failed := 0
	for _, w := range want {
		if w[0] == '!' {
			failed++
		}
	}
	if kind != "good" && (failed == 0 || failed == len(want)) {
		return fmt.Sprintf("%d of %d runs failed: expected some", failed, len(want))
	}
	for _, largest := range []int{3, 32} {
		shared := 0
		counted := func() (plugin.Carrier, error) {
			c, err := open()
			if err != nil {
				return nil, err
			}
			return &counting{c.(plugin.Many), &shared}, nil
		}
		if got := together(t, counted, largest, true); !slices.Equal(got, want) || shared == 0 {
			return fmt.Sprintf("%d at a time, in %d shared messages:\n%q\nwant\n%q", largest, shared, got, want)
		}
	}
	return ""
}

// counting counts messages of several decisions.
type counting struct {
	plugin.Many
	n *int
}

func (c *counting) DecideAll(all []*plugin.Question) error {
	if len(all) > 1 {
		*c.n++
	}
	return c.Many.DecideAll(all)
}

const batchSeeds = 8

// together says what becomes of each seed, in lanes, or without any.
func together(t *testing.T, open func() (plugin.Carrier, error), largest int, join bool) []string {
	all, next := make([]string, batchSeeds), 0
	var batch plugin.Batch
	batch.Run(func() int { return largest }, func(l *plugin.Slot) {
		var p *plugin.Policy
		for next < len(all) {
			seed := next
			next++
			if p == nil {
				if p = plugin.New("some", open); join {
					p.Join(l, "some")
				}
			}
			l.Run(func() { all[seed] = outcome(t, p, uint64(seed)) })
			if all[seed][0] == '!' {
				p.Close()
				p = nil
			}
		}
		if p != nil {
			p.Close()
		}
	})
	return all
}

// outcome is what a run comes to: its bill, or a failure, after "!".
func outcome(t *testing.T, p *plugin.Policy, seed uint64) (out string) {
	defer func() {
		x := recover()
		if failure, is := x.(*plugin.Failure); is && !plugin.Interrupted(x) {
			out = "!" + failure.Error()
		} else if x != nil {
			panic(x)
		}
	}()
	w, err := sim.New(sim.Config{Market: simtest.Market(seed, 2*time.Hour, sim.Never), Jobs: simtest.Jobs(1), Policy: p, Seed: seed,
		Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	return fmt.Sprint(totals.Bill.Total(), totals.End, totals.Decisions)
}

// somePlugin is a program that does what KIND says in some of its runs, late in the run.
func somePlugin() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	g := &some{kind: os.Getenv("KIND"), runs: map[int64]*someRun{}, out: out, in: in}
	_, _ = in.ReadString('\n')
	fmt.Fprintln(out, `{"v":1,"many":5}`)
	for out.Flush() == nil && g.message() {
	}
}

type someRun struct {
	odd   bool
	pools int
	asked int
}

type some struct {
	kind string
	runs map[int64]*someRun
	in   *bufio.Reader
	out  *bufio.Writer
}

// message answers a message.
func (g *some) message() bool {
	line, err := g.in.ReadBytes('\n')
	if err != nil {
		return false
	}
	var m struct {
		message.Begin
		Views []json.RawMessage
	}
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	switch m.Type {
	case "begin":
		g.begin(&m.Begin)
	case "decide":
		g.decide(m.World)
	case "decisions":
		for _, text := range m.Views {
			var v struct{ World int64 }
			_ = json.Unmarshal(text, &v)
			g.decide(v.World)
		}
	}
	return true
}

func (g *some) begin(b *message.Begin) {
	g.runs[b.World] = &someRun{odd: b.Random%3 == 0, pools: len(b.Pools)}
}

// decide holds instances by turns, after a question; in the seventh decision of an odd run it does what its kind is.
func (g *some) decide(world int64) {
	r := g.runs[world]
	r.asked++
	hold := make([]int, r.pools)
	hold[r.asked%r.pools] = 1 + r.asked%3
	job, wake := 0, 300.0
	plan := &message.Plan{Jobs: []message.JobPlan{{Job: &job, Hold: &message.Hold{ByPool: hold}}}, WakeS: &wake}
	if r.asked%4 == 0 {
		g.ask(&message.Ask{Instances: r.asked}, plan)
	}
	if r.odd && r.asked == 7 {
		switch g.kind {
		case "ends":
			os.Exit(3)
		case "hangs":
			time.Sleep(time.Minute)
		case "misspeaks":
			fmt.Fprintln(g.out, "no plan")
			return
		case "plans nonsense":
			hold[0] = message.Max + 1
		}
	}
	g.send(plan)
}

// ask asks, and wakes by the answer.
func (g *some) ask(q *message.Ask, plan *message.Plan) {
	g.send(&message.Plan{Ask: q})
	_ = g.out.Flush()
	var a message.Answer
	line, _ := g.in.ReadBytes('\n')
	_ = json.Unmarshal(line, &a)
	if a.LeftS != nil {
		wake := 60 + *a.LeftS/100
		plan.WakeS = &wake
	}
}

func (g *some) send(plan *message.Plan) {
	b, err := json.Marshal(plan)
	if err != nil {
		panic(err)
	}
	_, _ = g.out.Write(append(b, '\n'))
}
