package loader

import (
	"fmt"

	"github.com/marigram/marigram/policies/plugin"
)

// open says that a browser has neither programs nor files.
func (g *Plugin) open(bool) (plugin.Carrier, error) {
	return nil, fmt.Errorf("policy %s: a browser runs the policies of marigram only", g.Name)
}
