package cmd

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/testutil"
)

// A set is pulled from a local copy, once, and then read by
// its name.
func TestPullFromACopy(t *testing.T) {
	testutil.Published(t, "bamboo-preemption-traces", "p3-trace.csv")
	from := testutil.Published(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", os.Getenv("XDG_CACHE_HOME"))
	for _, want := range []string{"1 files, 344 rows in 1 pools", "bamboo-aws-p3: already pulled"} {
		code, stdout, stderr := marigram("traces", "pull", "bamboo-aws-p3", "--from", from)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Fatalf("exit %d, %s%s, expected %q", code, stdout, stderr, want)
		}
	}
	if _, stdout, _ := marigram("traces", "list"); !strings.Contains(stdout, "bamboo-aws-p3  [pulled]") {
		t.Errorf("not listed as pulled:\n%s", stdout)
	}
	if code, stdout, stderr := marigram("traces", "stats", "pulled:bamboo-aws-p3"); code != 0 ||
		!strings.Contains(stdout, "bamboo-aws-p3 (autoscaling_pool)") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// interrupter does what an interrupt does once a text is written to it.
type interrupter struct {
	bytes.Buffer
	at        string
	interrupt func()
}

func (w *interrupter) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if strings.Contains(w.String(), w.at) {
		w.interrupt()
	}
	return n, err
}

// An interrupted pull of several sets says which are there.
func TestPullInterruptedSaysWhatIsKept(t *testing.T) {
	testutil.Published(t, "bamboo-preemption-traces", "p3-trace.csv")
	testutil.Published(t, "parcae-traces", "p3.csv")
	from := testutil.Published(t)
	for at, want := range map[string]string{
		"bamboo-aws-p3: ": "interrupted; nothing was written\n",
		"parcae-aws-p3: ": "interrupted; kept: bamboo-aws-p3\n",
	} {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		t.Setenv("HOME", os.Getenv("XDG_CACHE_HOME"))
		ctx, cancel := context.WithCancel(t.Context())
		stderr := &interrupter{at: at, interrupt: cancel}
		code := executeUntil(ctx, func() {}, new(atomic.Bool), []string{"traces", "pull", "bamboo-aws-p3", "parcae-aws-p3", "--from", from}, io.Discard, stderr)
		cancel()
		if code != cli.ExitInterrupted || !strings.HasSuffix(stderr.String(), want) {
			t.Errorf("exit %d, %q, expected %q", code, stderr.String(), want)
		}
	}
}
