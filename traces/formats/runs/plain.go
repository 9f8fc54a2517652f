package runs

import (
	"bufio"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

func init() {
	formats.Register(formats.Format{
		Name: "plain-csv",
		Kind: formats.Run,
		What: "the plain CSV " + ownruns.Header + ", one event a line, which anything can be turned into",
		Example: "time,event,instance,type,zone,value\n" +
			"2026-01-02T00:00:00Z,launched,i-1,p3.2xlarge,us-east-2b,\n2026-01-02T00:02:00Z,step,,,,0",
		Recognise: func(s *read.Source) bool { return s.FirstRecord() == ownruns.Header },
		Records: &formats.Records{
			From: "its definition",
			Lost: "the run's name",
			Read: func(in *formats.RunFile) (err error) {
				in.Relative, err = ownruns.ScanCSV(in.Source, func(e *ownruns.Event) error {
					in.Add(*e)
					return nil
				})
				return err
			},
			Keep:  func(r *ownruns.Run) []ownruns.Event { return r.Events },
			Write: func(w *bufio.Writer, r *ownruns.Run) { _ = ownruns.WriteCSV(w, r) }, // w keeps its errors
		},
	})
}
