package parcae

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "parcae", Files: files,
		References: []papers.Reference{
			{
				Key: "duan2024parcae", Title: "Parcae: Proactive, Liveput-Optimized DNN Training on Preemptible Instances",
				Authors: []string{"Jiangfei Duan", "Ziang Song", "Xupeng Miao", "Xiaoli Xi", "Dahua Lin", "Harry Xu", "Minjia Zhang", "Zhihao Jia"},
				Venue:   "NSDI 2024", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2024,
				ArXiv: "2403.14097",
				Code:  "JF-D/Parcae@efedee7",
			},
		},
		Procedures: map[string]papers.Procedure{
			"parcae-ladder":    ladder,
			"parcae-intensity": intensity,
			"parcae-table2":    table2,
			"parcae-distance":  distance,
			"parcae-forecast":  forecastErrors,
			"parcae-replay":    replay,
			"parcae-segments":  segments,
			"parcae-on-demand": onDemand,
			"parcae-ideal":     ideal,
			"parcae-liveput":   liveput,
		},
	})
}
