package confine

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// calls are what a program that reads files, computes, starts threads and answers on its outputs needs of the kernel. All
// others are refused: those that change files or what is known of them, memory without a name in its
// addresses (memfd_create, SysV), locks and watches on files that other runs read too, what is in the page cache,
// sockets, keys, io_uring, tracing, mounts, namespaces, modules.
var calls = []uint32{
	unix.SYS_READ, unix.SYS_READV, unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_PWRITE64, unix.SYS_PWRITEV,
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_LSEEK, unix.SYS_GETDENTS64, unix.SYS_FADVISE64,
	unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX, unix.SYS_STATFS, unix.SYS_FSTATFS, unix.SYS_READLINKAT, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2,
	unix.SYS_GETCWD, unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_UMASK, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2,
	unix.SYS_EVENTFD2, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2, unix.SYS_PPOLL, unix.SYS_PSELECT6,
	unix.SYS_TIMERFD_CREATE, unix.SYS_TIMERFD_SETTIME, unix.SYS_TIMERFD_GETTIME, unix.SYS_SIGNALFD4,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_BRK, unix.SYS_MSYNC, unix.SYS_MEMBARRIER,
	unix.SYS_FUTEX, unix.SYS_FUTEX_WAITV, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ,
	unix.SYS_EXECVE, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_RESTART_SYSCALL,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER,
	unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_GETPRIORITY, unix.SYS_GETCPU,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT,
	unix.SYS_SIGALTSTACK, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL,
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETPGID, unix.SYS_GETSID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
	unix.SYS_GETGROUPS, unix.SYS_GETRESUID, unix.SYS_GETRESGID, unix.SYS_CAPGET,
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP, unix.SYS_GETTIMEOFDAY, unix.SYS_TIMES,
	unix.SYS_SETITIMER, unix.SYS_GETITIMER, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_GETTIME, unix.SYS_TIMER_GETOVERRUN,
	unix.SYS_TIMER_DELETE,
	unix.SYS_GETRUSAGE, unix.SYS_GETRLIMIT, unix.SYS_PRLIMIT64, unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRANDOM, unix.SYS_PRCTL,
	unix.SYS_SENDTO, unix.SYS_RECVFROM, unix.SYS_SENDMSG, unix.SYS_RECVMSG, unix.SYS_SHUTDOWN, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT,
	unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME, // of a pair: no other socket can be made
}

// some are calls of which an argument is to be one of a few values.
var some = []struct {
	call     uint32
	argument int
	values   []uint32
}{
	{unix.SYS_FCNTL, 1, []uint32{unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL}}, // no lock, no lease
	{unix.SYS_IOCTL, 1, []uint32{unix.TCGETS, unix.TIOCGWINSZ, unix.TIOCINQ, fionbio, fionclex, fioclex}},
	{unix.SYS_SOCKETPAIR, 0, []uint32{unix.AF_UNIX}}, // Python's asyncio wakes itself by one
}

const (
	lastCall = 471 // the newest that is known here; programs expect that older kernels have not heard of newer ones
	numberAt = 0   // offsets in struct seccomp_data (include/uapi/linux/seccomp.h)
	archAt   = 4
	argsAt   = 16 // 8 bytes each, of which the lower half is read: little-endian

	namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

	fionbio, fionclex, fioclex = 0x5421, 0x5450, 0x5451 // asm-generic/ioctls.h

	refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func ret(what uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
}

// jump skips yes instructions if the comparison with k holds, else no.
func jump(compare uint16, k uint32, yes, no int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | compare, Jt: uint8(yes), Jf: uint8(no), K: k}
}

// program is the filter, in classic BPF.
func program() []unix.SockFilter {
	p := []unix.SockFilter{load(archAt), jump(unix.BPF_JEQ, architecture, 1, 0), ret(unix.SECCOMP_RET_KILL_PROCESS),
		load(numberAt), jump(unix.BPF_JGT, lastCall, 0, 1), ret(unknown)}
	when := func(call uint32, then ...unix.SockFilter) {
		p = append(append(p, jump(unix.BPF_JEQ, call, 0, len(then))), then...)
	}
	for _, call := range slices.Concat(calls, callsOfProcessor) {
		when(call, ret(unix.SECCOMP_RET_ALLOW))
	}
	for _, x := range some {
		then := []unix.SockFilter{load(argsAt + 8*uint32(x.argument))}
		for _, value := range x.values {
			then = append(then, jump(unix.BPF_JEQ, value, 0, 1), ret(unix.SECCOMP_RET_ALLOW))
		}
		when(x.call, append(then, ret(refuse))...)
	}
	// Threads, but no other process. The flags of clone3 are in memory, where no filter sees them: C libraries then take clone.
	when(unix.SYS_CLONE, load(argsAt), jump(unix.BPF_JSET, namespaces, 2, 0), jump(unix.BPF_JSET, unix.CLONE_THREAD, 0, 1),
		ret(unix.SECCOMP_RET_ALLOW), ret(refuse))
	when(unix.SYS_CLONE3, ret(unknown))
	return append(p, ret(refuse))
}

// filters reports whether the kernel filters calls for this processor.
func filters() bool {
	what := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&what)))
	return architecture != 0 && errno == 0
}

// filter refuses this thread, and what it becomes, all other calls from now on.
func filter() error {
	p := program()
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}
