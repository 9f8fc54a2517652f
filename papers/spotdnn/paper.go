package spotdnn

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "spotdnn", Files: files,
		References: []papers.Reference{
			{
				Key: "shang2023spotdnn", Title: "spotDNN: Provisioning Spot Instances for Predictable Distributed DNN Training in the Cloud",
				Authors: []string{"Ruitao Shang", "Fei Xu", "Zhuoyan Bai", "Li Chen", "Zhi Zhou", "Fangming Liu"},
				Venue:   "IWQoS 2023", Book: "IEEE/ACM International Symposium on Quality of Service", Year: 2023,
			},
		},
		Procedures: map[string]papers.Procedure{
			"spotdnn-mixed":       mixed,
			"spotdnn-convergence": convergence,
			"spotdnn-plans":       plans,
			"spotdnn-headline":    headline,
			"spotdnn-planning":    planning,
			"spotdnn-episode":     runEpisode,
			"spotdnn-scaling":     scaling,
			"spotdnn-iterations":  iterations,
		},
	})
}
