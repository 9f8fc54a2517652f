//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// alone gives the plug-in a process group, so that what it starts ends with it.
func alone(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the plug-in and what it started.
func kill(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
