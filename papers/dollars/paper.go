// Package dollars compares calibrate/transformer with published speeds, memory and answers to the question how long and
// how much a training takes of which nothing was measured.
package dollars

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "dollars", Files: files,
		Formulas: []string{"dollars/law", "dollars/errors", "dollars/memory", "dollars/answers"},
		Procedures: map[string]papers.Procedure{
			"dollars-law":     refit,
			"dollars-errors":  errorsOfLaw,
			"dollars-memory":  memory,
			"dollars-answers": answers,
		},
	})
}
