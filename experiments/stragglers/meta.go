package stragglers

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/internal/store"
)

// Meta is how a job is laid out over GPUs.
type Meta struct {
	Name  string `json:"trial_name,omitempty" jsonschema:"name of the job"`
	RunID int64  `json:"run_id,omitempty" jsonschema:"number of the run; not used"`
	DP    int    `json:"dp_size" min:"1" max:"65536" jsonschema:"replicas: data-parallel ranks"`
	PP    int    `json:"pp_size" min:"1" max:"4096" jsonschema:"stages of the pipeline"`
	TP    int    `json:"tp_size,omitempty" min:"1" max:"4096" jsonschema:"GPUs of a tensor-parallel group; 1 if absent"`
	DSP   int    `json:"dsp_size,omitempty" min:"1" max:"4096" jsonschema:"GPUs that share a sequence; 1 if absent"`
	VPP   int    `json:"vpp_size,omitempty" min:"1" max:"64" jsonschema:"chunks of the model on a stage; 1 if absent"`
	World int    `json:"world_size,omitempty" min:"1" jsonschema:"GPUs: the product of dp, pp, tp and dsp, if it is there"`
}

// maxMeta bounds the file.
const maxMeta = 64 << 10

// ReadMeta reads a file of YAML with the sizes of the parallel dimensions; errors name line and column.
func ReadMeta(path string) (Meta, error) {
	file, err := store.OpenInput(path)
	if err != nil {
		return Meta{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxMeta+1))
	if err != nil {
		return Meta{}, err
	}
	if len(text) > maxMeta {
		return Meta{}, fmt.Errorf("%s: larger than %d bytes, expected the sizes of a job", path, maxMeta)
	}
	return ParseMeta(path, text)
}

// ParseMeta is ReadMeta of the text of a file with a name.
func ParseMeta(name string, text []byte) (m Meta, err error) {
	read := &m
	defer document.Guard(name, &read, &err)
	doc, err := document.Parse(name, "the sizes of a job (dp_size, pp_size, ...)", text)
	if err != nil {
		return Meta{}, err
	}
	m = Meta{TP: 1, DSP: 1, VPP: 1}
	if err := doc.Decode(&m); err != nil {
		return Meta{}, err
	}
	if err := doc.Check(&m); err != nil {
		return Meta{}, err
	}
	if product := m.GPUs(); m.World != 0 && m.World != product {
		return Meta{}, doc.ErrorAt("$.world_size", "%d, expected dp_size x pp_size x tp_size x dsp_size, %d", m.World,
			product)
	}
	return m, nil
}

// GPUs is how many the job has.
func (m *Meta) GPUs() int { return m.DP * m.PP * m.TP * m.DSP }
