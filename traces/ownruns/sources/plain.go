package sources

import (
	"bufio"
	"strings"

	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"

	_ "github.com/marigram/marigram/traces/formats/all" // what Load falls back to
)

func init() {
	Register(Format{
		Name:      "plain-csv",
		What:      "the plain CSV " + ownruns.Header + ", one event a line, which anything can be turned into",
		From:      "its definition",
		Lost:      "the run's name",
		Recognise: func(s *read.Source) bool { return strings.TrimSpace(s.FirstLine()) == ownruns.Header },
		Read: func(in *Input) (err error) {
			in.relative, err = ownruns.ScanCSV(in.Source, func(e *ownruns.Event) error {
				in.Add(*e)
				return nil
			})
			return err
		},
		Keep:  func(r *ownruns.Run) []ownruns.Event { return r.Events },
		Write: func(w *bufio.Writer, r *ownruns.Run) { _ = ownruns.WriteCSV(w, r) }, // into w, which keeps its errors
	})
}
