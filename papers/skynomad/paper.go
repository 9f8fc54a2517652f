package skynomad

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "skynomad", Files: files,
		References: []papers.Reference{
			{
				Key: "li2027skynomad", Title: "SkyNomad: On Using Multi-Region Spot Instances to Minimize AI Batch Job Cost",
				Authors: []string{"Zhifei Li", "Tian Xia", "Ziming Mao", "Zihan Zhou", "Ethan J. Jackson", "Jamison Kerney", "Zhanghao Wu", "Pratik Mishra",
					"Yi Xu", "Yifan Qiao", "Scott Shenker", "Ion Stoica"},
				Venue: "NSDI 2027", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2027,
				ArXiv: "2601.06520",
				Code:  "andylizf/skynomad-artifact@62b9aaa",
			},
		},
		Procedures: map[string]papers.Procedure{
			"skynomad-means":    means,
			"skynomad-ablation": ablation,
			"skynomad-runs":     recordedRuns,
		},
	})
}
