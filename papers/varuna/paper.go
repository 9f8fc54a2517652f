package varuna

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "varuna", Files: files,
		References: []papers.Reference{
			{
				Key: "athlur2022varuna", Title: "Varuna: Scalable, Low-cost Training of Massive Deep Learning Models",
				Authors: []string{"Sanjith Athlur", "Nitika Saran", "Muthian Sivathanu", "Ramachandran Ramjee", "Nipun Kwatra"},
				Venue:   "EuroSys 2022", Book: "European Conference on Computer Systems", Year: 2022,
				DOI:   "10.1145/3492321.3519584",
				ArXiv: "2111.04007",
			},
			{Key: "jang2023oobleck"},
		},
		Procedures: map[string]papers.Procedure{
			"varuna-table2": varunaTable2,
		},
	})
}
