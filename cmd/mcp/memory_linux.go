package mcp

import "syscall"

// limitMemory has the system refuse more memory than n MB. Addresses that are only set aside do not count.
func limitMemory(mb int) error {
	limit := syscall.Rlimit{Cur: uint64(mb) << 20, Max: uint64(mb) << 20}
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
