//go:build linux

package confine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain is the tests, or the program that tries to escape (tries), or one that starts it (judges).
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "escape" {
		fmt.Println(strings.Join(escapes(os.Args[2:]), "\n"))
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "judge" {
		said, err := confined(os.Args[2])
		fmt.Println(said)
		if err != nil {
			fmt.Println("error:", err)
		}
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "less" {
		if err := less(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// confined runs the program that tries to escape twice, and returns what it managed. The key is a file of its owner.
func confined(key string) (said string, err error) {
	if all := Missing(); len(all) > 0 {
		return "", fmt.Errorf("skip: %s", strings.Join(all, "; "))
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	r, err := New([]string{self, "escape", key, strconv.Itoa(os.Getpid())}, "/", []string{self})
	if err != nil {
		return "", err
	}
	defer r.Close()
	r.MemoryMB = 1024 // a program in Go reserves more than 600 MB of addresses
	for range 2 {
		args := append(slices.Clone(r.Args), strconv.FormatInt(time.Now().Add(-50*time.Millisecond).UnixNano(), 10)) // of a clock that ticks
		c := exec.Command(args[0], args[1:]...)
		var out strings.Builder
		c.Stdout, c.Stderr = &out, &out
		end, err := r.Start(c)
		if err != nil {
			return "", err
		}
		err = c.Wait()
		end()
		said += strings.TrimSpace(out.String())
		if err != nil {
			return said, err
		}
	}
	return said, nil
}

// TestEscapes starts a program that tries to get out, as this user and, if this is root, as an ordinary one: it manages
// nothing of all that a program which is not confined does.
func TestEscapes(t *testing.T) {
	if info, is := debug.ReadBuildInfo(); is && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("a program with the race detector takes more addresses than any bound")
	}
	users := []int{os.Getuid()}
	if users[0] == 0 {
		users = append(users, 12345)
	}
	for _, user := range users {
		t.Run(fmt.Sprint("user ", user), func(t *testing.T) { testEscapes(t, user) })
	}
}

func testEscapes(t *testing.T, user int) {
	dir, key, self := secret(t, user)
	said := as(t, user, dir, self, "judge", key)
	if _, why, is := strings.Cut(said, "error: skip: "); is {
		t.Skip("not confined here: " + why)
	}
	if said != "" {
		t.Errorf("it managed:\n%s", said)
	}
	for path, want := range map[string]os.FileMode{key: 0o600, dir: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
	free := as(t, user, dir, self, "escape", key, strconv.Itoa(os.Getpid()), strconv.FormatInt(time.Now().UnixNano(), 10))
	for _, what := range tries(key, "1") {
		if what.free && !slices.Contains(strings.Split(free, "\n"), what.name) {
			t.Errorf("a program that is not confined did not manage %s, so the test cannot tell", what.name)
		}
	}
}

// secret is a folder of a user with a key of 0600 and a copy of this program beside it, which that user can start.
func secret(t *testing.T, user int) (dir, key, self string) {
	t.Helper()
	base, err := os.MkdirTemp("", "secret-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	dir = filepath.Join(base, "own")
	key, self = filepath.Join(dir, "judge.key"), filepath.Join(base, "self")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = copyFile(self, program, 1<<30)
	err = errors.Join(err, os.Chmod(base, 0o755), os.Chmod(self, 0o755), os.Mkdir(dir, 0o700), os.WriteFile(key, []byte("key"), 0o600),
		os.Chown(dir, user, -1), os.Chown(key, user, -1))
	if err != nil {
		t.Fatal(err)
	}
	return dir, key, self
}

// as runs a program as a user.
func as(t *testing.T, user int, dir string, args ...string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.SysProcAttr = dir, &syscall.SysProcAttr{}
	c.Env = append(os.Environ(), "TMPDIR="+os.TempDir(), "SECRET=1")
	if user != os.Getuid() {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// try is something that a confined program must not manage.
type try struct {
	name string
	free bool // a program that is not confined manages it on every Linux, and without harm: then the test does it
	do   func() error
}

// escapes returns what of it is managed by this process.
func escapes(args []string) (managed []string) {
	key, starter, began := args[0], args[1], args[2]
	free := os.Getenv("SECRET") != ""
	for _, x := range append(tries(key, starter), marks(began)...) {
		if (!free || x.free) && x.do() == nil {
			managed = append(managed, x.name)
		}
	}
	for _, x := range calledBy {
		_, _, errno := unix.RawSyscall6(x.call, x.args[0], x.args[1], x.args[2], x.args[3], x.args[4], x.args[5])
		if !free && errno != unix.EPERM && errno != unix.ENOSYS {
			managed = append(managed, x.name+": "+errno.Error())
		}
		if free {
			break
		}
	}
	return managed
}

var errRefused = errors.New("refused")

func is(done bool) error {
	if done {
		return nil
	}
	return errRefused
}

// tries are what can be done to the owner of a key, and to others.
func tries(key, starter string) []try {
	dir := filepath.Dir(key)
	pid, _ := strconv.Atoi(starter)
	var stat unix.Stat_t
	var statx unix.Statx_t
	return []try{
		{"read the key", true, func() error { _, err := os.ReadFile(key); return err }},
		{"list the folder of the key", true, func() error { _, err := os.ReadDir(dir); return err }},
		{"stat the key", true, func() error { return unix.Stat(key, &stat) }},
		{"statx the key", true, func() error { return unix.Statx(unix.AT_FDCWD, key, 0, unix.STATX_ALL, &statx) }},
		{"change the rights of the key", true, func() error { return unix.Chmod(key, 0o666) }},
		{"change the rights of its folder", true, func() error { return unix.Fchmodat(unix.AT_FDCWD, dir, 0o777, 0) }},
		{"change the times of the key", true, func() error { return unix.Utimes(key, make([]unix.Timeval, 2)) }},
		{"change the owner of the key", true, func() error { return unix.Lchown(key, os.Getuid(), os.Getgid()) }},
		{"an attribute of the folder", false, func() error { return unix.Setxattr(dir, "user.market", []byte("prices"), 0) }},
		{"a hard link to the key", true, func() error { return os.Link(key, filepath.Join(dir, "link")) }},
		{"a symbolic link", true, func() error { return os.Symlink(key, filepath.Join(dir, "symbolic")) }},
		{"a file beside the key", true, func() error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) }},
		{"a file for all", false, func() error { return os.WriteFile("/tmp/policy-left-behind", nil, 0o600) }},
		{"passwords", true, func() error { _, err := os.ReadFile("/etc/passwd"); return err }},
		{"other processes", true, func() error { _, err := os.ReadDir("/proc"); return err }},
		{"its starter", true, func() error { _, err := os.ReadFile("/proc/" + starter + "/cmdline"); return err }},
		{"a signal to its starter", false, func() error { return is(pid > 1 && unix.Kill(pid, 0) == nil) }},
		{"a variable of its starter", true, func() error { return is(os.Getenv("SECRET") != "" || os.Getenv("HOME") != "") }},
		{"the name of the machine", false, func() error { name, err := os.Hostname(); return errors.Join(err, is(name != "policy")) }},
		{"another root", false, func() error { return unix.Chroot("..") }},
		{"a user that people have", false, func() error { return is(os.Getuid() != 0 && os.Getuid() < users) }},
		{"rights of root", false, rights},
		{"3,000 MB in a memfd", false, func() error { return hoard("policy", 3000) }},
		{"a memfd", true, func() error { return hoard("policy", 1) }},
		{"shared addresses beyond its memory", true, func() error {
			_, err := unix.Mmap(-1, 0, 3000<<20, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
			return err
		}},
		{"addresses beyond its memory", true, func() error {
			_, err := unix.Mmap(-1, 0, 3000<<20, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
			return err
		}},
		{"another process", true, func() error {
			_, err := exec.LookPath("/bin/true")
			return errors.Join(err, exec.Command("/bin/true").Run())
		}},
		{"a core", false, func() error {
			var l unix.Rlimit
			return errors.Join(unix.Getrlimit(unix.RLIMIT_CORE, &l), is(l.Max != 1))
		}},
		{"a socket", true, func() error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err }},
		{"a lock that other runs see", true, func() error { return locked(unix.F_SETLK) }},
	}
}

// rights are those of capabilities.
func rights() error {
	head, have := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{}
	err := unix.Capget(&head, &have[0])
	return errors.Join(err, is(have != [2]unix.CapUserData{}))
}

// hoard keeps n MB in a file without a name.
func hoard(name string, mb int) error {
	fd, err := unix.MemfdCreate(name, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fallocate(fd, 0, 0, int64(mb)<<20)
}

// locked locks this program.
func locked(how int) error {
	f, err := os.Open(os.Args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.FcntlFlock(f.Fd(), how, &unix.Flock_t{Type: unix.F_RDLCK, Len: 1})
}

// marks are what a run may leave for the next where it runs, and how that finds it.
func marks(began string) []try {
	here := os.Args[0]
	at, _ := strconv.ParseInt(began, 10, 64)
	var stat unix.Stat_t
	return []try{
		{"a folder that is older than the run", false, func() error {
			return errors.Join(unix.Stat(here, &stat), is(stat.Ctim.Nano() < at))
		}},
		{"a mark of an earlier run", false, func() error { return errors.Join(unix.Stat(here, &stat), is(stat.Mtim.Sec == 1)) }},
		{"times of its own file", false, func() error { return unix.Utimes(here, []unix.Timeval{{Sec: 1}, {Sec: 1}}) }},
		{"rights of its own file", false, func() error { return unix.Chmod(here, 0o777) }},
		{"an attribute of its own file", false, func() error { return unix.Setxattr(here, "user.market", []byte("prices"), 0) }},
		{"a file where it runs", false, func() error { return os.WriteFile("left-behind", nil, 0o600) }},
		{"a folder where it runs", false, func() error { return os.Mkdir("left", 0o700) }},
		{"no file of its own", false, func() error { return os.Remove(here) }},
	}
}
