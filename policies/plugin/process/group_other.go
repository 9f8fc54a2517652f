//go:build !unix

package process

import "os/exec"

func alone(*exec.Cmd) {}

func kill(c *exec.Cmd) { _ = c.Process.Kill() }
