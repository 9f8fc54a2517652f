//go:build !js

package loader

import (
	"fmt"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/process"
	"github.com/marigram/marigram/policies/plugin/wasm"
)

// open starts the plug-in.
func (g *Plugin) open(allowed bool) (plugin.Carrier, error) {
	switch {
	case g.Wasm != "":
		numbers, texts, err := g.settings()
		if err != nil {
			return nil, err
		}
		return wasm.Open(wasm.Module{Path: g.path(g.Wasm), Settings: numbers, Texts: texts, Patience: g.Patience})
	case !allowed:
		return nil, fmt.Errorf("command %q: %w", g.Command, ErrNotAllowed)
	}
	return process.Start(process.Command{Args: g.Command, Dir: g.Dir, Policy: g.Name, Settings: g.Settings, Patience: g.Patience, Sandbox: g.Sandbox})
}
