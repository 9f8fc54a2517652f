package adrs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
)

// The future that the published evaluators leave in reach of a program is not there: a program that asks for it is out.
func TestEscapesToTheFuture(t *testing.T) {
	testutil.Python(t)
	cases := []Case{randomCase(1, 1)}
	const class = "from sky_spot.strategies.strategy import Strategy\nclass R(Strategy):\n    def _step(self, last, has):\n        return "
	for name, of := range map[string]struct{ code, said string }{
		"trace":       {class + "self.env.trace[self.env.tick + 1]\n", "no attribute 'trace'"},
		"before-end":  {class + "self.env.get_trace_before_end(9)\n", "no attribute 'get_trace_before_end'"},
		"next-wait":   {class + "self.env.next_wait_spot_length()\n", "no attribute 'next_wait_spot_length'"},
		"trace-file":  {class + "self.args.env_config or self.env.trace_file\n", "no attribute"},
		"all-regions": {"def strategy_step(ctx, last, has): return ctx.config.region_traces\n", "no attribute 'config'"},
		"time-travel": {"def strategy_step(ctx, last, has):\n    ctx.env.elapsed_seconds = 1e9\n    ctx.env.tick += 99\n    return ctx.env.spot_available_at(5)\n",
			"no attribute 'spot_available_at'"},
	} {
		programs[name] = of.code
		if _, s := trial(t, name, cases); s.Summary != nil || !strings.Contains(s.Failed, of.said) {
			t.Errorf("%s: %q, expected %q", name, s.Failed, of.said)
		}
	}
}

// With a sandbox a program that reads the archive finds no file, no network and no environment. Without one it may do
// what its user may, which the page says: nothing here can refuse it.
func TestEscapesToTheArchive(t *testing.T) {
	testutil.Python(t)
	if err := sandboxed(); err != nil {
		t.Skip("no sandbox can be started here (bubblewrap): ", err)
	}
	archive := filepath.Join(t.TempDir(), "future.json")
	if err := os.WriteFile(archive, []byte("[0, 0, 1]"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MARIGRAM_ARCHIVE", archive)
	cases := []Case{randomCase(1, 1)}
	// The system's folder read-only no more (MS_REMOUNT, MS_BIND).
	const remounts = "import ctypes; libc = ctypes.CDLL(None, use_errno=True); " +
		"libc.mount(None, b'/usr', None, 32 | 4096, None); raise OSError(ctypes.get_errno(), 'remounted')"
	for name, of := range map[string]struct{ line, said string }{
		"archive":     {"open(" + quoted(archive) + ").read()", "FileNotFoundError"},
		"environment": {"os.environ['MARIGRAM_ARCHIVE']", "KeyError"},
		"network":     {"socket.create_connection(('1.1.1.1', 53), 2)", "OSError: [Errno 101]"},
		"writes":      {"open(__file__ + '.kept', 'w')", "OSError: [Errno 30]"},
		"remounts":    {remounts, "PermissionError"},
		"processes":   {fmt.Sprintf("os.kill(%d, 0)", os.Getpid()), "ProcessLookupError"},
	} {
		programs[name] = "import os, socket\ndef strategy_step(ctx, last, has):\n    " + of.line + "\n    return 'NONE'\n"
		if _, s := trial(t, name, cases); s.Summary != nil || !strings.Contains(s.Failed, of.said) {
			t.Errorf("%s: %q, expected %q", name, s.Failed, of.said)
		}
	}
}

func quoted(path string) string { return "'" + path + "'" }
