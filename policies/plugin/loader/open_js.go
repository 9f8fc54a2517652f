package loader

import (
	"fmt"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
)

// declared knows nothing: who opens the plug-in is told.
func (g *Plugin) declared() ([]message.Setting, error) { return nil, nil }

// open says that a browser has neither programs nor files.
func (g *Plugin) open(bool) (plugin.Carrier, error) {
	return nil, fmt.Errorf("policy %s: a browser runs the policies of marigram only", g.Name)
}
