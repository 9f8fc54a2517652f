package transfers

import "github.com/marigram/marigram/papers"

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
