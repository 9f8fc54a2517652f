package cmdare

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "cmdare", Files: files,
		References: []papers.Reference{
			{
				Key: "li2020characterizing", Title: "Characterizing and Modeling Distributed Training with Transient Cloud GPU Servers",
				Authors: []string{"Shijian Li", "Robert J. Walls", "Tian Guo"},
				Venue:   "ICDCS 2020", Book: "IEEE International Conference on Distributed Computing Systems", Year: 2020,
				ArXiv: "2004.03072",
				Code:  "cake-lab/CM-DARE@263b7f1",
			},
		},
		Procedures: map[string]papers.Procedure{
			"cmdare-backtest":   cmdareBacktest,
			"cmdare-speeds":     cmdareSpeeds,
			"cmdare-startup":    cmdareStartup,
			"cmdare-remaining":  cmdareRemaining,
			"cmdare-scores":     cmdareScores,
			"cmdare-checkpoint": cmdareCheckpoint,
			"cmdare-rollback":   cmdareRollback,
			"cmdare-distance":   cmdareDistance,
			"cmdare-lifetimes":  cmdareLifetimes,
		},
	})
}
