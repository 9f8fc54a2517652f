package bamboo

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "bamboo", Files: files,
		References: []papers.Reference{
			{
				Key: "thorpe2023bamboo", Title: "Bamboo: Making Preemptible Instances Resilient for Affordable Training of Large DNNs",
				Authors: []string{"John Thorpe", "Pengzhan Zhao", "Jonathan Eyolfson", "Yifan Qiao", "Zhihao Jia", "Minjia Zhang", "Ravi Netravali", "Guoqing Harry Xu"},
				Venue:   "NSDI 2023", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2023,
				ArXiv: "2204.12013",
				Code:  "uclasystem/bamboo@8080929",
			},
		},
		Procedures: map[string]papers.Procedure{
			"bamboo-replays": replays,
			"bamboo-table":   table,
			"bamboo-p3":      p3,
		},
	})
}
