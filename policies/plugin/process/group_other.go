//go:build !unix

package process

import "os/exec"

// Alone gives the plug-in a process group where there are such.
func Alone(*exec.Cmd) {}

// Kill ends the plug-in.
func Kill(c *exec.Cmd) { _ = c.Process.Kill() }
