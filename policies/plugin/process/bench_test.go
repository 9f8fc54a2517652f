//go:build unix

package process_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/process"
)

// BenchmarkDecision is one decision of a plug-in in Python that does nothing but leave the plan as it
// is: what the door costs, there and back, with eight pools of which the job holds four, alone and with those of
// other runs in one message.
func BenchmarkDecision(b *testing.B) {
	for _, many := range []int{1, plugin.Slots} {
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			benchmark(b, process.Command{Args: python(b, "testdata/idle.py"), Policy: "idle"}, many)
		})
	}
}

func benchmark(b *testing.B, c process.Command, many int) {
	carrier := start(b, c).(plugin.Many)
	var all []*plugin.Question
	for range many {
		run := message.Begin{Type: "begin", Pools: make([]message.Pool, 8)}
		if err := carrier.Begin(&run); err != nil {
			b.Fatal(err)
		}
		view := &message.View{Type: "decide", World: run.World, Prices: make([]float64, 8), Jobs: make([]message.Job, 1)}
		for p := range 4 {
			view.Jobs[0].Held = append(view.Jobs[0].Held, message.Held{Pool: p, Want: 1, Ready: 1})
		}
		all = append(all, &plugin.Question{View: view})
	}
	before := spent(syscall.RUSAGE_SELF)
	n := 0
	for b.Loop() {
		if n%many == 0 {
			if err := carrier.DecideAll(all); err != nil {
				b.Fatal(err)
			}
		}
		n++
	}
	b.ReportMetric((spent(syscall.RUSAGE_SELF)-before)/float64(b.N), "cpu-own-ns/op")
	before = spent(syscall.RUSAGE_CHILDREN)
	carrier.Close()
	b.ReportMetric((spent(syscall.RUSAGE_CHILDREN)-before)/float64(b.N), "cpu-plug-in-ns/op") // with its start
}

// spent is the processor time of this process, or of those that it started and that have ended, ns.
func spent(by int) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(by, &r); err != nil {
		return 0
	}
	return float64(r.Utime.Nano() + r.Stime.Nano())
}
