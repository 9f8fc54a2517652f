package compression

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "compression", Files: files,
		Procedures: map[string]papers.Procedure{
			"compression-layers": layers,
		},
	})
}
