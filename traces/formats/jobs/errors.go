package jobs

import (
	"errors"
	"fmt"

	"github.com/marigram/marigram/traces"
)

var (
	errAbove0   = errors.New("expected a time above 0")
	errDeadline = errors.New("expected a time above 0, or nothing where there is no deadline")
	errBool     = errors.New("expected 0 or 1")
	errWhole    = errors.New("expected a whole number")
	errManyGPUs = fmt.Errorf("expected at most %d GPUs of one job", traces.MaxMachines)
)
