package tune

import (
	"github.com/marigram/marigram/experiments/tune"
)

type flags struct {
	question tune.Question
	worth    []string
	out      string
	jobs     int
	json     bool
	all      bool
}
