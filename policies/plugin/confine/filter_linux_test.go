//go:build linux

package confine

import (
	"fmt"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

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
