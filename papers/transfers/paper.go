package transfers

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "transfers", Files: files,
		References: []papers.Reference{
			{Key: "narayanan2020dynamic"},
		},
		Procedures: map[string]papers.Procedure{
			"transfers-tiers": tiers,
		},
	})
}
