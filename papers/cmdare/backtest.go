package cmdare

import (
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/internal/world"
	"strings"
)

// cmdareBacktest reports the errors of the runs that lost a worker and got another.
func cmdareBacktest(f *papers.Figure) error {
	v, err := world.Backtest(f, "cmdare-replacements")
	if err != nil {
		return err
	}
	for i := range v.Runs {
		if j := &v.Runs[i]; strings.HasPrefix(j.Name, "case-") {
			f.Report(j.Name, j.Finish.Median)
		}
	}
	f.Report("finish-median-error", v.Finish.Median)
	_, of90 := v.Finish.Coverage()
	f.Report("finish-inside90", of90)
	return nil
}
