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
	"unsafe"

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

// hoard keeps so many MB in a file without a name.
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

// calledBy are calls that are refused before the kernel reads their arguments, which do nothing at all: what another
// error than EPERM (ENOSYS) comes from got through.
var calledBy = []struct {
	name string
	call uintptr
	args [6]uintptr
}{
	{"fchmodat2", unix.SYS_FCHMODAT2, [6]uintptr{^uintptr(0)}},
	{"fchmod", unix.SYS_FCHMOD, [6]uintptr{^uintptr(0)}},
	{"fchown", unix.SYS_FCHOWN, [6]uintptr{^uintptr(0)}},
	{"fchownat", unix.SYS_FCHOWNAT, [6]uintptr{^uintptr(0)}},
	{"utimensat", unix.SYS_UTIMENSAT, [6]uintptr{^uintptr(0)}},
	{"setxattr", unix.SYS_SETXATTR, [6]uintptr{}},
	{"lsetxattr", unix.SYS_LSETXATTR, [6]uintptr{}},
	{"fsetxattr", unix.SYS_FSETXATTR, [6]uintptr{^uintptr(0)}},
	{"setxattrat", unix.SYS_SETXATTRAT, [6]uintptr{^uintptr(0)}},
	{"file_setattr", unix.SYS_FILE_SETATTR, [6]uintptr{^uintptr(0)}},
	{"getxattr", unix.SYS_GETXATTR, [6]uintptr{}},
	{"removexattr", unix.SYS_REMOVEXATTR, [6]uintptr{}},
	{"ioctl of attributes", unix.SYS_IOCTL, [6]uintptr{0, unix.FS_IOC_SETFLAGS}},
	{"ioctl of a terminal", unix.SYS_IOCTL, [6]uintptr{0, unix.TIOCSTI}},
	{"fcntl: lease", unix.SYS_FCNTL, [6]uintptr{0, unix.F_SETLEASE}},
	{"flock", unix.SYS_FLOCK, [6]uintptr{^uintptr(0)}},
	{"inotify", unix.SYS_INOTIFY_INIT1, [6]uintptr{^uintptr(0)}},
	{"fanotify", unix.SYS_FANOTIFY_INIT, [6]uintptr{^uintptr(0)}},
	{"mincore", unix.SYS_MINCORE, [6]uintptr{1}},
	{"cachestat", unix.SYS_CACHESTAT, [6]uintptr{^uintptr(0)}},
	{"preadv2", unix.SYS_PREADV2, [6]uintptr{^uintptr(0)}},
	{"memfd_secret", unix.SYS_MEMFD_SECRET, [6]uintptr{^uintptr(0)}},
	{"shmget", unix.SYS_SHMGET, [6]uintptr{0x4D415249, 16}},
	{"semget", unix.SYS_SEMGET, [6]uintptr{0x4D415249, 1}},
	{"msgget", unix.SYS_MSGGET, [6]uintptr{0x4D415249}},
	{"mq_open", unix.SYS_MQ_OPEN, [6]uintptr{}},
	{"add_key", unix.SYS_ADD_KEY, [6]uintptr{}},
	{"request_key", unix.SYS_REQUEST_KEY, [6]uintptr{}},
	{"keyctl", unix.SYS_KEYCTL, [6]uintptr{^uintptr(0)}},
	{"io_uring_setup", unix.SYS_IO_URING_SETUP, [6]uintptr{}},
	{"io_uring_enter", unix.SYS_IO_URING_ENTER, [6]uintptr{^uintptr(0)}},
	{"a socket of the machine", unix.SYS_SOCKET, [6]uintptr{unix.AF_VSOCK, unix.SOCK_STREAM}},
	{"a socket of the kernel", unix.SYS_SOCKET, [6]uintptr{unix.AF_NETLINK, unix.SOCK_RAW}},
	{"an abstract socket", unix.SYS_SOCKET, [6]uintptr{unix.AF_UNIX, unix.SOCK_STREAM}},
	{"a pair of sockets of the network", unix.SYS_SOCKETPAIR, [6]uintptr{unix.AF_INET, unix.SOCK_STREAM}},
	{"connect", unix.SYS_CONNECT, [6]uintptr{^uintptr(0)}},
	{"bind", unix.SYS_BIND, [6]uintptr{^uintptr(0)}},
	{"ptrace", unix.SYS_PTRACE, [6]uintptr{^uintptr(0)}},
	{"process_vm_readv", unix.SYS_PROCESS_VM_READV, [6]uintptr{^uintptr(0)}},
	{"process_vm_writev", unix.SYS_PROCESS_VM_WRITEV, [6]uintptr{^uintptr(0)}},
	{"process_madvise", unix.SYS_PROCESS_MADVISE, [6]uintptr{^uintptr(0)}},
	{"pidfd_open", unix.SYS_PIDFD_OPEN, [6]uintptr{^uintptr(0)}},
	{"pidfd_getfd", unix.SYS_PIDFD_GETFD, [6]uintptr{^uintptr(0)}},
	{"kcmp", unix.SYS_KCMP, [6]uintptr{^uintptr(0)}},
	{"mount", unix.SYS_MOUNT, [6]uintptr{}},
	{"umount2", unix.SYS_UMOUNT2, [6]uintptr{0, ^uintptr(0)}},
	{"pivot_root", unix.SYS_PIVOT_ROOT, [6]uintptr{}},
	{"open_tree", unix.SYS_OPEN_TREE, [6]uintptr{^uintptr(0)}},
	{"fsopen", unix.SYS_FSOPEN, [6]uintptr{}},
	{"mount_setattr", unix.SYS_MOUNT_SETATTR, [6]uintptr{^uintptr(0)}},
	{"unshare", unix.SYS_UNSHARE, [6]uintptr{unix.CLONE_NEWUSER}},
	{"setns", unix.SYS_SETNS, [6]uintptr{^uintptr(0)}},
	{"clone3", unix.SYS_CLONE3, [6]uintptr{}},
	{"bpf", unix.SYS_BPF, [6]uintptr{^uintptr(0)}},
	{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, [6]uintptr{}},
	{"userfaultfd", unix.SYS_USERFAULTFD, [6]uintptr{^uintptr(0)}},
	{"kexec_load", unix.SYS_KEXEC_LOAD, [6]uintptr{0, 0, 0, ^uintptr(0)}},
	{"init_module", unix.SYS_INIT_MODULE, [6]uintptr{}},
	{"name_to_handle_at", unix.SYS_NAME_TO_HANDLE_AT, [6]uintptr{^uintptr(0)}},
	{"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, [6]uintptr{^uintptr(0)}},
	{"execveat", unix.SYS_EXECVEAT, [6]uintptr{^uintptr(0)}},
	{"personality", unix.SYS_PERSONALITY, [6]uintptr{0xffffffff}},
	{"setuid", unix.SYS_SETUID, [6]uintptr{^uintptr(0)}},
	{"truncate", unix.SYS_TRUNCATE, [6]uintptr{}},
	{"fallocate", unix.SYS_FALLOCATE, [6]uintptr{^uintptr(0)}},
	{"vmsplice", unix.SYS_VMSPLICE, [6]uintptr{^uintptr(0)}},
	{"landlock", unix.SYS_LANDLOCK_CREATE_RULESET, [6]uintptr{0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION}},
	{"a call that does not exist yet", 600, [6]uintptr{}},
}

// ran says what the filter does with a call: the instructions that program uses, as the kernel reads them.
func ran(p []unix.SockFilter, arch, call uint32, args ...uint32) uint32 {
	data := map[uint32]uint32{numberAt: call, archAt: arch}
	for i, a := range args {
		data[argsAt+8*uint32(i)] = a
	}
	var a uint32
	for at := 0; ; at++ {
		x := p[at]
		var yes bool
		switch x.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = data[x.K]
			continue
		case unix.BPF_RET | unix.BPF_K:
			return x.K
		case unix.BPF_JMP | unix.BPF_K | unix.BPF_JEQ:
			yes = a == x.K
		case unix.BPF_JMP | unix.BPF_K | unix.BPF_JGT:
			yes = a > x.K
		case unix.BPF_JMP | unix.BPF_K | unix.BPF_JSET:
			yes = a&x.K != 0
		default:
			panic(fmt.Sprintf("instruction %+v", x))
		}
		if yes {
			at += int(x.Jt)
		} else {
			at += int(x.Jf)
		}
	}
}

// TestFilter asks the filter for what no program on this processor can try, and for what a confined one needs.
func TestFilter(t *testing.T) {
	if !filters() {
		t.Skip("no filter of calls for this kernel and processor")
	}
	const allow = unix.SECCOMP_RET_ALLOW
	for _, x := range []struct {
		name string
		want uint32
		arch uint32
		call uint32
		args []uint32
	}{
		{"another processor's calls", unix.SECCOMP_RET_KILL_PROCESS, architecture ^ 1, unix.SYS_READ, nil},
		{"x32", unknown, architecture, 1<<30 | unix.SYS_READ, nil},
		{"the first beyond the last", unknown, architecture, lastCall + 1, nil},
		{"read", allow, architecture, unix.SYS_READ, nil},
		{"a thread", allow, architecture, unix.SYS_CLONE, []uint32{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}},
		{"a process", refuse, architecture, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}},
		{"a thread with a namespace", refuse, architecture, unix.SYS_CLONE, []uint32{unix.CLONE_THREAD | unix.CLONE_NEWNS}},
		{"flags of a descriptor", allow, architecture, unix.SYS_FCNTL, []uint32{0, unix.F_GETFL}},
		{"an owner of signals", refuse, architecture, unix.SYS_FCNTL, []uint32{0, unix.F_SETOWN}},
		{"a pair of sockets", allow, architecture, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX}},
		{"memfd_create", refuse, architecture, unix.SYS_MEMFD_CREATE, nil},
	} {
		if got := ran(program(), x.arch, x.call, x.args...); got != x.want {
			t.Errorf("%s: %#x, want %#x", x.name, got, x.want)
		}
	}
	if size := unsafe.Sizeof(unix.SockFilter{}); size != 8 {
		t.Errorf("an instruction has %d bytes, want 8", size)
	}
}
