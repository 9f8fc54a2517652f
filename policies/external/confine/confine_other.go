//go:build !linux

package confine

import "os/exec"

// Means says by what programs are confined here; empty if they cannot be.
func Means() string { return "" }

// Start starts the room's program where the system can confine it.
func (r *Room) Start(*exec.Cmd) error { return ErrUnable }
