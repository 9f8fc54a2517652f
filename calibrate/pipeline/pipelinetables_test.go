package pipeline

import (
	"math"
	"strings"
	"testing"
)

// FuzzReadPipelineTables reads the tables of pipelined training: steps by layout, speeds
// by layout, layers. What is taken makes a model; what is not is an error with its
// file.
func FuzzReadPipelineTables(f *testing.F) {
	f.Add("pipelines,stages,samples,step_s\n1,2,10,10\n2,2,10,5\n")
	f.Add("pipelines,stages,samples_per_s\n1,2,10\n2,2,19.5\n")
	f.Add("layer,forward_s,backward_s,weight_bytes,activation_bytes,output_bytes\na,1,2,4e9,1e9,1e8\nb,.1,.2,0,0,0\n")
	f.Fuzz(func(t *testing.T, text string) {
		refused := func(err error) bool {
			if err != nil && !strings.HasPrefix(err.Error(), "t.csv") {
				t.Errorf("an error without its file: %v", err)
			}
			return err != nil
		}
		if x, err := ReadThroughput("t.csv", strings.NewReader(text)); !refused(err) {
			if _, err := New(1, x.Samples, x.Layouts, Recovery{}); err != nil {
				t.Errorf("a throughput that makes no model: %v", err)
			}
		}
		if layers, err := ReadLayers("t.csv", strings.NewReader(text)); !refused(err) {
			for _, l := range layers {
				if l.Name == "" || l.Forward < 0 || l.Backward < 0 || !(l.WeightBytes >= 0) || math.IsInf(l.WeightBytes, 0) {
					t.Errorf("accepted %+v", l)
				}
			}
		}
	})
}
