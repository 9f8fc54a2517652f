package tiresias

import "github.com/marigram/marigram/papers"

func init() {
	papers.Register(papers.Paper{
		Name: "tiresias", Files: files,
		References: []papers.Reference{
			{
				Key: "gu2019tiresias", Title: "Tiresias: A GPU Cluster Manager for Distributed Deep Learning",
				Authors: []string{"Juncheng Gu", "Mosharaf Chowdhury", "Kang G. Shin", "Yibo Zhu", "Myeongjae Jeon", "Junjie Qian", "Hongqiang Liu", "Chuanxiong Guo"},
				Venue:   "NSDI 2019", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2019,
				Code: "SymbioticLab/Tiresias@959f9b0",
			},
		},
		Procedures: map[string]papers.Procedure{
			"tiresias-schedules": schedules,
			"tiresias-published": tiresiasPublished,
		},
	})
}
