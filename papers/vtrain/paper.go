// Package vtrain compares the times of layers from sizes (calibrate/layout, LayerTimes) with the layouts that vTrain's
// authors measured, on the half of them that nothing was fitted to.
package vtrain

import (
	"embed"

	"github.com/marigram/marigram/papers"
)

//go:embed *.csv *.yaml
var files embed.FS

func init() {
	papers.Register(papers.Paper{
		Name: "vtrain", Files: files,
		References: []papers.Reference{
			{
				Key:     "bang2024vtrain",
				Title:   "vTrain: A Simulation Framework for Evaluating Cost-effective and Compute-optimal Large Language Model Training",
				Authors: []string{"Jehyeon Bang", "Yujeong Choi", "Myeongwoo Kim", "Yongdeok Kim", "Minsoo Rhu"},
				Venue:   "MICRO 2024", Book: "IEEE/ACM International Symposium on Microarchitecture", Year: 2024,
				ArXiv: "2312.12391",
				Code:  "VIA-Research/vTrain@f8dda84",
			},
		},
		Procedures: map[string]papers.Procedure{"vtrain-heldout": heldOut},
	})
}
