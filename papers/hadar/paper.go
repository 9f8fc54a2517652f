package hadar

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "hadar", Files: files,
		References: []papers.Reference{
			{
				Key: "sultana2024hadar", Title: "Hadar: Heterogeneity-Aware Optimization-Based Online Scheduling for Deep Learning Cluster",
				Authors: []string{"Abeda Sultana", "Fei Xu", "Xu Yuan", "Li Chen", "Nian-Feng Tzeng"},
				Venue:   "IPDPS 2024", Book: "IEEE International Parallel and Distributed Processing Symposium", Year: 2024,
				DOI: "10.1109/IPDPS57955.2024.00066",
			},
			{
				Key: "sultana2025resource", Title: "Resource Heterogeneity-Aware and Utilization-Enhanced Scheduling for Deep Learning Clusters",
				Authors: []string{"Abeda Sultana", "Nabin Pakka", "Fei Xu", "Xu Yuan", "Li Chen", "Nian-Feng Tzeng"},
				Venue:   "arXiv 2025", Book: "arXiv preprint", Year: 2025,
				ArXiv: "2503.10918",
			},
		},
		Procedures: map[string]papers.Procedure{
			"hadar-published": hadarPublished,
			"hadar-bounds":    hadarBounds,
		},
	})
}
