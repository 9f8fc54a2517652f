package cmd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/marigram/marigram/cmd/internal/cli"
)

// A command that waits for its input, and cannot look at its context, ends within a second
// of a signal, with the status that the signal means; a second signal ends it at once.
// Nothing is left behind.
func TestForcedEnd(t *testing.T) {
	program, err := exec.LookPath("marigram") // of testscript, in the PATH of the tests
	if err != nil {
		program = filepath.Join(t.TempDir(), "marigram")
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	// What was started in the background ignores interrupts, and so does what it starts, unless it listens to them
	// itself.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	t.Cleanup(func() { signal.Stop(heard) })
	for _, c := range []forcedEnd{
		{"run /dev/stdin --out out", []syscall.Signal{syscall.SIGINT}, cli.ExitInterrupted, "interrupted; what was not complete was not written"},
		{"run /dev/stdin --out out", []syscall.Signal{syscall.SIGTERM}, cli.ExitInterrupted, "interrupted; what was not complete was not written"},
		{"traces import /dev/stdin --format node-events --out out", []syscall.Signal{syscall.SIGINT}, cli.ExitInterrupted, "interrupted;"},
		{"sweep /dev/stdin --out out", []syscall.Signal{syscall.SIGINT}, cli.ExitInterrupted, "repeat the command to resume"},
		{"sweep /dev/stdin --out out", []syscall.Signal{syscall.SIGTERM}, cli.ExitTerminated, "repeat the command to resume"},
		{"run /dev/stdin --out out", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, -1, ""},
		{"validate /dev/stdin", []syscall.Signal{syscall.SIGINT}, -1, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel() // it waits
			c.of(t, program)
		})
	}
}

// forcedEnd is a command line, the signals that it gets, and how it has to end.
type forcedEnd struct {
	args    string
	signals []syscall.Signal
	code    int // -1: by the signal
	says    string
}

// of runs the program. A second signal that comes after the grace, from a busy machine, finds it ended: then the test
// is tried again.
func (c *forcedEnd) of(t *testing.T, program string) {
	for tries := 5; ; tries-- {
		if late := c.once(t, program, tries > 1); !late {
			return
		}
	}
}

func (c *forcedEnd) once(t *testing.T, program string, again bool) (late bool) {
	dir := t.TempDir()
	cmd := exec.Command(program, strings.Fields(c.args)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	read, stdin, err := os.Pipe() // through which nothing ever comes
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = read
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read.Close()
	waitUntilItReads(t, stdin)
	began := time.Now()
	for i, s := range c.signals {
		if i > 0 {
			time.Sleep(100 * time.Millisecond) // two at once are one
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	// It reads for ever unless it is forced to end; a minute is for a busy machine.
	hung := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	var exit *exec.ExitError
	err = cmd.Wait()
	took := time.Since(began)
	ended := hung.Stop()
	stdin.Close()
	switch {
	case !ended:
		t.Errorf("%s, %v: it did not end", c.args, c.signals)
	case again && len(c.signals) > 1 && took > grace:
		return true
	case !errors.As(err, &exit) || exit.ExitCode() != c.code || !strings.Contains(stderr.String(), c.says):
		t.Errorf("%s, %v: %v, expected exit code %d and %q\n%s", c.args, c.signals, err, c.code, c.says, &stderr)
	}
	if c.code >= 0 && took < grace/2 {
		t.Errorf("%s, %v: ended after %v, before it was forced to", c.args, c.signals, took)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%s, %v: left %v, %v", c.args, c.signals, left, err)
	}
	return false
}

// waitUntilItReads writes what is no input yet, and waits until it is read: the program
// then waits for more.
func waitUntilItReads(t *testing.T, in *os.File) {
	t.Helper()
	if _, err := in.WriteString("# wait\n"); err != nil {
		t.Fatal(err)
	}
	for range 6000 {
		var waiting int32
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, in.Fd(), syscall.TIOCINQ, uintptr(unsafe.Pointer(&waiting))); failed != 0 {
			t.Fatal(failed)
		}
		if waiting == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the program does not read its input")
}
