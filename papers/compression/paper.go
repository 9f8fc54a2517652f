package compression

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "compression", Files: files,
		Procedures: map[string]papers.Procedure{
			"compression-layers": layers,
		},
	})
}
