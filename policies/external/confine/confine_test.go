//go:build linux

package confine

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// room is that of a program in Python; the test is skipped where it cannot be.
func room(t *testing.T, args ...string) *Room {
	t.Helper()
	if Means() == "" {
		t.Skip(ErrUnable)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	r, err := New(append([]string{"python3"}, args...), "testdata", args[:1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func output(t *testing.T, c *exec.Cmd, start func(*exec.Cmd) error) string {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := start(c); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return strings.TrimSpace(out.String())
}

// TestPeek starts a program that looks for a file of its starter, its memory, its environment, its
// descriptors, shared memory and the network: in its room it finds nothing, and outside of it all of that.
func TestPeek(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "history.csv")
	if err := os.WriteFile(secret, []byte("the future"), 0o644); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	abstract, err := net.Listen("unix", fmt.Sprintf("@marigram-%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	memory, _, errno := syscall.Syscall(syscall.SYS_SHMGET, 0x4D415249, 16, 0o1666)
	if errno == 0 {
		defer func() { _, _, _ = syscall.Syscall(syscall.SYS_SHMCTL, memory, 0, 0) }()
	}
	args := []string{"peek.py", secret, strconv.Itoa(port), strconv.Itoa(os.Getpid())}
	r := room(t, args...)
	if found := output(t, exec.Command(r.Args[0], r.Args[1:]...), r.Start); found != "" && Means() == "landlock, namespaces" {
		t.Errorf("it saw %s", found)
	}
	free := exec.Command("python3", args...)
	free.Dir = t.TempDir()
	text, err := os.ReadFile("testdata/peek.py")
	if err == nil {
		err = os.WriteFile(filepath.Join(free.Dir, "peek.py"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := output(t, free, (*exec.Cmd).Start)
	for _, what := range []string{"the secret", "the folder of the secret", "the command line of its starter", "its environment",
		"to write where it runs", "the network", "an abstract socket"} {
		if !strings.Contains(found, what+"\n") {
			t.Errorf("a program that is not confined did not see %s, so the test cannot tell: %s", what, found)
		}
	}
}

// TestMemory starts a program that takes more memory than it may.
func TestMemory(t *testing.T) {
	r := room(t, "peek.py")
	r.MemoryMB = 512
	for mb, want := range map[string]string{"100": "", "1000": "MemoryError"} {
		var said bytes.Buffer
		c := exec.Command(r.Args[0], "-c", "import sys, time; sys.stdin.read(); len(bytearray("+mb+" << 20))")
		c.Stderr = &said
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(c); err != nil {
			t.Fatal(err)
		}
		in.Close()
		_ = c.Wait()
		if !strings.Contains(said.String(), want) || want == "" && said.Len() > 0 {
			t.Errorf("%s MB: %s, want %q", mb, said.String(), want)
		}
	}
}

// TestProcesses starts a program that forks: the kernel refuses it more processes than it may have.
func TestProcesses(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the kernel does not count the processes of root")
	}
	r := room(t, "peek.py")
	if Means() != "landlock, namespaces" {
		t.Skip("this system has no namespaces for this user")
	}
	c := exec.Command(r.Args[0], "-c", `import os, sys, time
sys.stdin.read()
n = 1
try:
    while n < 1000:
        if os.fork() == 0:
            time.sleep(2)
            os._exit(0)
        n += 1
except OSError:
    pass
print(n)`)
	var said bytes.Buffer
	c.Stdout = &said
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(c); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := c.Wait(); err != nil || strings.TrimSpace(said.String()) != strconv.Itoa(Processes) {
		t.Errorf("%v: it had %s processes at one time, want %d", err, said.String(), Processes)
	}
}

// TestRestricted starts a confined program, after which this process can do what it could before.
func TestRestricted(t *testing.T) {
	r := room(t, "peek.py", "none", "1", "1")
	_ = output(t, exec.Command(r.Args[0], r.Args[1:]...), r.Start)
	for range 50 {
		done := make(chan error)
		go func() { _, err := os.ReadDir("/"); done <- err }()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}
