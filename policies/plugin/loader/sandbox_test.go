package loader

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
)

// peek is a program that says what it can see of its starter: a file, its environment, the network, and whether it can
// write where it is.
const peek = `import os, socket, sys
if os.path.exists(sys.argv[1]): print("the secret")
if "MARIGRAM_SECRET" in os.environ: print("its environment")
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), 5)
    print("the network")
except OSError: pass
try:
    open(__file__ + ".mark", "w").close()
    print("to write where it is")
except OSError: pass
print("done")
`

// A program in a sandbox sees nothing of its starter; started without, it sees all that the test looks for.
func TestProgramsSandbox(t *testing.T) {
	testutil.Python(t)
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Skip("bwrap is not installed")
	}
	secret := filepath.Join(t.TempDir(), "trace.csv")
	write(t, secret, "the future", 0o644)
	t.Setenv("MARIGRAM_SECRET", "1")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	dir := t.TempDir()
	write(t, filepath.Join(dir, "peek.py"), peek, 0o644)
	g := &Plugin{Name: "peek", Command: []string{"python3", "peek.py"}, Dir: dir}
	if err := g.Confine(); err != nil {
		t.Fatal(err)
	}
	if said := output(t, dir, append(g.confined, secret, port)); said != "done" {
		t.Errorf("in the sandbox it saw %s", said)
	}
	want := "the secret\nits environment\nthe network\nto write where it is\ndone"
	if said := output(t, dir, []string{"python3", "peek.py", secret, port}); said != want {
		t.Errorf("without a sandbox it saw %s, so the test cannot tell", said)
	}
}

// Where bwrap is not installed the error says what to do.
func TestSandboxWithoutBwrap(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	g := &Plugin{Name: "mine", Command: []string{"python3", "mine.py"}}
	err := g.Confine()
	if err == nil || !strings.Contains(err.Error(), "bubblewrap") || !strings.Contains(err.Error(), "container") {
		t.Errorf("%v, expected what to install, or a container", err)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, dir string, args []string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
