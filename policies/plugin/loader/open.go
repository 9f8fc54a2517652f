//go:build !js

package loader

import (
	"fmt"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/process"
)

// open starts the plug-in.
func (g *Plugin) open(allowed bool) (plugin.Carrier, error) {
	if !allowed {
		return nil, fmt.Errorf("command %q: %w", g.Command, ErrNotAllowed)
	}
	args := g.Command
	if g.confined != nil {
		args = g.confined
	}
	return process.Start(process.Command{Args: args, Dir: g.Dir, Policy: g.Name, Settings: g.Settings, Patience: g.Patience})
}
