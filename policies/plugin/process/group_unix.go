//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// Alone gives the plug-in a process group, so that what it starts ends with it.
func Alone(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends the plug-in and what it started.
func Kill(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
