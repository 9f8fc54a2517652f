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

	"github.com/marigram/marigram/internal/testutil"
)

// sandbox is that of a program in Python; the test is skipped where it cannot be.
func sandbox(t *testing.T, args ...string) *Sandbox {
	t.Helper()
	if Means() == "" {
		t.Skip(ErrUnable)
	}
	testutil.Python(t)
	r, err := New(append([]string{"python3"}, args...), "testdata", args[:1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// free starts a program that is not confined.
func free(c *exec.Cmd) (end func(), err error) { return func() {}, c.Start() }

func output(t *testing.T, c *exec.Cmd, start func(*exec.Cmd) (func(), error)) string {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	end, err := start(c)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Wait()
	end()
	if err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return strings.TrimSpace(out.String())
}

// TestPeek starts a program that looks for a file of its starter, its memory, its environment, its
// descriptors, shared memory and the network: in its room it finds nothing, and outside of it all of that.
func TestPeek(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "trace.csv")
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
	r := sandbox(t, args...)
	if found := output(t, exec.Command(r.Args[0], r.Args[1:]...), r.Start); found != "" && len(Missing()) == 0 {
		t.Errorf("it saw %s", found)
	}
	other := exec.Command("python3", args...)
	other.Dir = t.TempDir()
	text, err := os.ReadFile("testdata/peek.py")
	if err == nil {
		err = os.WriteFile(filepath.Join(other.Dir, "peek.py"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := output(t, other, free)
	for _, what := range []string{"the secret", "the folder of the secret", "the command line of its starter", "its environment",
		"to write where it runs", "the network", "an abstract socket"} {
		if !strings.Contains(found, what+"\n") {
			t.Errorf("a program that is not confined did not see %s, so the test cannot tell: %s", what, found)
		}
	}
}

// TestMemory starts a program that takes more memory than it may.
func TestMemory(t *testing.T) {
	r := sandbox(t, "peek.py")
	r.MemoryMB = 512
	for mb, want := range map[string]string{"100": "", "1000": "MemoryError"} {
		var said bytes.Buffer
		c := exec.Command(r.Args[0], "-c", "len(bytearray("+mb+" << 20))")
		c.Stderr = &said
		end, err := r.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		end()
		if !strings.Contains(said.String(), want) || want == "" && said.Len() > 0 {
			t.Errorf("%s MB: %s, want %q", mb, said.String(), want)
		}
	}
}

// TestThreads starts a program that starts threads: the kernel refuses it more than it may have.
func TestThreads(t *testing.T) {
	r := sandbox(t, "peek.py")
	if all := Missing(); len(all) > 0 {
		t.Skip("not confined here: " + strings.Join(all, "; "))
	}
	c := exec.Command(r.Args[0], "-c", `import threading, os
threading.stack_size(65536)
n, end = 1, threading.Event()
try:
    while n < 1000:
        threading.Thread(target=end.wait).start()
        n += 1
except RuntimeError:
    pass
end.set()
print(n)`)
	if said := output(t, c, r.Start); said != strconv.Itoa(Threads) {
		t.Errorf("it had %s threads at one time, want %d", said, Threads)
	}
}

// TestAsyncio starts what programs in Python commonly do beside: threads, an event loop, clocks, random numbers.
func TestAsyncio(t *testing.T) {
	r := sandbox(t, "peek.py")
	c := exec.Command(r.Args[0], "-c", `import asyncio, concurrent.futures, json, random, sqlite3, ssl, time, zoneinfo
async def main():
    await asyncio.sleep(0.01)
    loop = asyncio.get_running_loop()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return sum(await asyncio.gather(*(loop.run_in_executor(pool, sum, range(9)) for _ in range(9))))
print(asyncio.run(main()))`)
	if said := output(t, c, r.Start); said != "324" {
		t.Errorf("%s, want 324", said)
	}
}

// TestGroup starts a program in a control group, which is gone with it.
func TestGroup(t *testing.T) {
	if parent() == "" {
		t.Skip("no control group of version 2 with memory and pids in which this user may make others")
	}
	r := sandbox(t, "peek.py")
	r.MemoryMB = 4096
	c := exec.Command(r.Args[0], "-c", "print(1)")
	if said := output(t, c, r.Start); said != "1" {
		t.Errorf("it said %s", said)
	}
	if left, err := filepath.Glob(filepath.Join(parent(), "policy-*")); err != nil || len(left) > 0 {
		t.Errorf("%v %v are left", left, err)
	}
}

// TestLessThanWhole starts this program where it may make no namespaces: Missing says what programs can do there, they are
// kept from the rest, and a program that is to be confined wholly is known not to be.
func TestLessThanWhole(t *testing.T) {
	if len(Missing()) > 0 {
		t.Skip("not confined here: " + strings.Join(Missing(), "; "))
	}
	c := exec.Command("/proc/self/exe", "less")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"means: a list of allowed calls", "missing: ask for the size, the times and the owner of any file",
		"see and signal other processes",
		"chmod: changing permissions of '/dev/null': Operation not permitted"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s\nwant %q", out, want)
		}
	}
}

// less is TestLessThanWhole where there are no namespaces.
func less() error {
	for _, kind := range []string{"user", "mnt"} {
		if err := os.WriteFile("/proc/sys/user/max_"+kind+"_namespaces", []byte("0"), 0); err != nil {
			return err
		}
	}
	fmt.Printf("means: %s\nmissing: %s\n", Means(), strings.Join(Missing(), "; "))
	r, err := New([]string{"/bin/chmod", "600", "/dev/null"}, "/", nil)
	if err != nil {
		return err
	}
	defer r.Close()
	c := exec.Command(r.Args[0], r.Args[1:]...)
	c.Stderr = os.Stdout
	end, err := r.Start(c)
	if err != nil {
		return err
	}
	_ = c.Wait()
	end()
	return nil
}

// TestRestricted starts a confined program, after which this process can do what it could before.
func TestRestricted(t *testing.T) {
	r := sandbox(t, "peek.py", "none", "1", "1")
	_ = output(t, exec.Command(r.Args[0], r.Args[1:]...), r.Start)
	for range 50 {
		done := make(chan error)
		go func() { _, err := os.ReadDir("/"); done <- err }()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkStart is the start of a program that does nothing, until it has ended: confined, and not.
func BenchmarkStart(b *testing.B) {
	for _, how := range []string{"confined", "free"} {
		b.Run(how, func(b *testing.B) {
			if how == "confined" && Means() == "" {
				b.Skip(ErrUnable)
			}
			r, err := New([]string{"/bin/true"}, "/", nil)
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			start := map[string]func(*exec.Cmd) (func(), error){"confined": r.Start, "free": free}[how]
			for b.Loop() {
				c := exec.Command(r.Args[0])
				end, err := start(c)
				if err != nil {
					b.Fatal(err)
				}
				err = c.Wait()
				end()
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
