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
	return process.Start(process.Command{
		Args:     g.Started(),
		Dir:      g.Dir,
		Policy:   g.Name,
		Settings: g.Settings,
		Patience: g.Patience,
	})
}
