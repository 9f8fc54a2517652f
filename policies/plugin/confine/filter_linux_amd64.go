package confine

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// callsOfProcessor are former ones that newer processors do not have.
var callsOfProcessor = []uint32{unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_GETDENTS, unix.SYS_POLL,
	unix.SYS_SELECT,
	unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_PIPE, unix.SYS_DUP2, unix.SYS_EVENTFD, unix.SYS_ALARM, unix.SYS_PAUSE, unix.SYS_GETPGRP,
	unix.SYS_ARCH_PRCTL, unix.SYS_TIME}
