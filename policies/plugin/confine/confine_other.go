//go:build !linux

package confine

import "os/exec"

// Means says by what programs are confined here; empty if they cannot be.
func Means() string { return "" }

// Missing says what a program can do here although it should not; empty where it is confined wholly.
func Missing() []string {
	return []string{"all that its user can do: programs are confined on Linux only"}
}

// Start starts the room's program where the system can confine it.
func (r *Sandbox) Start(*exec.Cmd) (end func(), err error) { return nil, ErrUnable }

func (r *Sandbox) inside() string { return r.files() }
