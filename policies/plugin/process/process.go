// Package process carries the messages of external policies to a process: a JSON object a line
// on its standard input, and one a line back from its standard output.
package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
)

// Command says how to start a plug-in.
type Command struct {
	Args     []string       // the program and its arguments; no shell reads them
	Dir      string         // where it runs, empty for the present folder
	Policy   string         // name of the policy, for the plug-in
	Settings map[string]any // of the policy
	Patience time.Duration  // for one answer; 0 means Patience
}

// Patience is how long a plug-in may take for one answer if nothing else is said: it includes
// the start of the program.
const Patience = 30 * time.Second

// carrier talks to a process. It implements plugin.Carrier.
type carrier struct {
	patience time.Duration
	proc     *exec.Cmd
	in       *os.File // to its standard input
	out      *os.File // from its standard output
	lines    *bufio.Reader
	last     *plugin.Tail        // of its standard error
	views    []byte              // memory of the messages that ask for plans
	max      int                 // decisions of a message
	settings []message.Setting   // that it has; nil: it does not say
	one      plugin.Question     // that is asked alone
	alone    [1]*plugin.Question // it
	over     chan struct{}       // the process has ended

	mu     sync.Mutex
	worlds int64
	ended  []int64
	failed error // it is closed
}

// Start starts a plug-in and greets it. Errors have the last lines that it wrote to its standard
// error.
func Start(c Command) (plugin.Carrier, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("the command is empty, expected a program and its arguments")
	}
	inRead, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, outWrite, err := os.Pipe()
	if err != nil {
		inRead.Close()
		in.Close()
		return nil, err
	}
	x := &carrier{patience: c.Patience, in: in, out: out, lines: bufio.NewReaderSize(out, 1<<16), last: &plugin.Tail{},
		over: make(chan struct{})}
	x.alone[0] = &x.one
	if x.patience == 0 {
		x.patience = Patience
	}
	x.proc = exec.Command(c.Args[0], c.Args[1:]...)
	x.proc.Dir = c.Dir
	x.proc.Stdin = inRead
	x.proc.Stdout = outWrite
	x.proc.Stderr = x.last
	x.proc.WaitDelay = time.Second
	Alone(x.proc)
	err = x.proc.Start()
	inRead.Close()
	outWrite.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("start %q: %w", c.Args[0], err)
	}
	go func() {
		_ = x.proc.Wait()
		close(x.over)
	}()
	if err := x.greet(&c); err != nil {
		return nil, x.fail(err)
	}
	return x, nil
}

// greet exchanges the first messages.
func (x *carrier) greet(c *Command) error {
	settings := c.Settings
	if settings == nil {
		settings = map[string]any{}
	}
	hello, err := line(message.Hello{
		Type:     "hello",
		V:        message.Version,
		Policy:   c.Policy,
		Settings: settings,
		Many:     maxAtOnce,
	})
	if err != nil {
		return err
	}
	answer, err := x.exchange(hello)
	if err != nil {
		return err
	}
	var g message.Greeting
	if err := strict(answer, &g); err != nil {
		if strings.Contains(err.Error(), `unknown field "format"`) {
			return errors.New(gone.Instead("key", "format"))
		}
		return fmt.Errorf("greeting: %w", err)
	}
	switch {
	case g.V != message.Version:
		return fmt.Errorf("it speaks version %d of the messages, expected %d", g.V, message.Version)
	case g.Many < 0:
		return fmt.Errorf("many is %d, expected the number of decisions that a message may have", g.Many)
	default:
		x.max = min(max(g.Many, 1), maxAtOnce)
		x.settings = g.Settings
		return nil
	}
}

// maxAtOnce bounds the decisions of one message.
const maxAtOnce = 256

// Most implements plugin.Many.
func (x *carrier) Max() int { return x.max }

// Settings implements plugin.Carrier.
func (x *carrier) Settings() ([]message.Setting, error) { return x.settings, nil }

// Begin implements plugin.Carrier.
func (x *carrier) Begin(b *message.Begin) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed != nil {
		return x.failed
	}
	x.worlds++
	b.World, b.Ended, x.ended = x.worlds, x.ended, nil
	message, err := line(b)
	if err == nil {
		err = x.write(message)
	}
	return x.fail(err)
}

// End implements plugin.Carrier: the plug-in is told with the next run.
func (x *carrier) End(world int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = append(x.ended, world)
}

// Decide implements plugin.Carrier.
func (x *carrier) Decide(v *message.View, answer func(*message.Ask) message.Answer) (*message.Plan, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.one.View, x.one.Answer = v, answer
	err := x.decideAll(x.alone[:])
	return x.one.Plan, err
}

// DecideAll implements plugin.Many.
func (x *carrier) DecideAll(all []*plugin.Question) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.decideAll(all)
}

func (x *carrier) decideAll(all []*plugin.Question) error {
	if x.failed != nil {
		return x.failed
	}
	return x.fail(x.decide(all))
}

// maxAsks bounds the questions of one decision, and patienceAMessage how long a message takes with them, in times of
// the patience for one answer.
const (
	maxAsks          = 100_000
	patienceAMessage = 10
)

func (x *carrier) decide(all []*plugin.Question) error {
	out, err := viewsLine(x.views[:0], all)
	if err != nil {
		return err
	}
	x.views = out
	written := func() error { return nil }
	if len(all) == 1 {
		err = x.write(out)
	} else { // so large that the plug-in may answer before it has all
		written = x.writing(out)
	}
	if err == nil {
		err = x.listen()
	}
	until := time.Now().Add(patienceAMessage * x.patience)
	for i := 0; i < len(all) && err == nil; i++ {
		all[i].Plan, err = x.planOf(all[i], until, written)
	}
	if err != nil {
		return err
	}
	return written()
}

// planOf reads the plan of a decision, and answers the questions before it.
func (x *carrier) planOf(of *plugin.Question, until time.Time, written func() error) (*message.Plan, error) {
	for range maxAsks {
		reply, err := x.read()
		if err != nil {
			return nil, err
		}
		plan := new(message.Plan)
		err = strict(reply, plan)
		switch {
		case err != nil:
			return nil, fmt.Errorf("answer %s: %w", clipped(reply), err)
		case plan.Ask == nil:
			return plan, nil
		case time.Now().After(until):
			return nil, fmt.Errorf("no plan within %v, but questions", patienceAMessage*x.patience)
		}
		a := of.Answer(plan.Ask)
		if err := written(); err != nil { // the answer takes the memory of the message
			return nil, err
		}
		out, err := line(&a)
		if err == nil {
			err = x.write(out)
		}
		if err == nil {
			err = x.listen()
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("more than %d questions in one decision", maxAsks)
}

// exchange writes a message and reads the answer.
func (x *carrier) exchange(message []byte) ([]byte, error) {
	if err := x.write(message); err != nil {
		return nil, err
	}
	if err := x.listen(); err != nil {
		return nil, err
	}
	return x.read()
}

// listen says that answers are expected from now on.
func (x *carrier) listen() error { return x.out.SetReadDeadline(time.Now().Add(x.patience)) }

// read reads an answer.
func (x *carrier) read() ([]byte, error) {
	reply, err := readLine(x.lines)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fmt.Errorf("no answer within %v", x.patience)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it ended, or closed its standard output, without an answer")
	}
	return reply, err
}

// writing writes a message while answers are read. What it returns waits until it is written.
func (x *carrier) writing(message []byte) func() error {
	done := make(chan error, 1)
	go func() { done <- x.write(message) }()
	return sync.OnceValue(func() error { return <-done })
}

// write writes a message. A plug-in that does not read it in time is an error.
func (x *carrier) write(message []byte) error {
	if err := x.in.SetWriteDeadline(time.Now().Add(x.patience)); err != nil {
		return err
	}
	_, err := x.in.Write(message)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("it did not read its standard input for %v", x.patience)
	case err != nil:
		return errors.New("it ended, or closed its standard input, without an answer")
	}
	return nil
}

// fail closes the carrier after an error, which it returns with the plug-in's last words.
func (x *carrier) fail(err error) error {
	if err == nil || x.failed != nil {
		return err
	}
	x.stop()
	if words := x.last.String(); words != "" {
		err = fmt.Errorf("%w; its last words: %s", err, words)
	}
	x.failed = err
	return err
}

// Close implements plugin.Carrier.
func (x *carrier) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed == nil {
		x.failed = errors.New("it is closed")
		x.in.Close() // a plug-in ends where its input does
		if !x.endsWithin(time.Second) {
			x.stop()
		}
	}
	return nil
}

// endsWithin waits for the process to end by itself.
func (x *carrier) endsWithin(d time.Duration) bool {
	defer x.out.Close()
	select {
	case <-x.over:
		return true
	case <-time.After(d):
		return false
	}
}

// stop ends the process: what it was started for is over, so its exit status says nothing.
func (x *carrier) stop() {
	x.in.Close()
	x.out.Close()
	Kill(x.proc)
	<-x.over
}

// clipped quotes the beginning of a message.
func clipped(text []byte) string {
	const largest = 200
	if len(text) > largest {
		return fmt.Sprintf("%q...", text[:largest])
	}
	return fmt.Sprintf("%q", text)
}
