package market

import (
	"errors"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces"
)

// notPulled names nothing: a browser has no pulled sets.
func (*Markets) notPulled() error { return nil }

// Load says that a browser has no files.
func Load(*spec.Spec, *spec.Trace) (*traces.Set, error) {
	return nil, errors.New("a browser has no files, expected the traces of the page, or a synthetic market")
}

// neutral says so, too.
func neutral(*spec.Spec, *spec.Trace) (string, error) { return "", nil }
