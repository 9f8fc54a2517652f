package guest

import (
	"fmt"

	"github.com/marigram/marigram/policies/external"
)

// open says that a browser has neither programs nor files.
func (g *Guest) open(bool) (external.Carrier, error) {
	return nil, fmt.Errorf("policy %s: a browser runs the policies of marigram only", g.Name)
}
