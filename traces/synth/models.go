package synth

import (
	"fmt"
	"strings"
)

// models lists the generators; each is one file.
var models = []modelEntry{bulkEntry, kaplanMeierEntry, bathtubEntry, priceEntry, bambooEntry, blockEntry,
	exponentialEntry}

// ModelInfo names a model.
type ModelInfo struct {
	Name     string `json:"name"`
	What     string `json:"what"`
	Fits     bool   `json:"can_be_fitted"`
	Standard bool   `json:"needs_no_history"` // Standard makes it
}

// Models lists the models.
func Models() []ModelInfo {
	var out []ModelInfo
	for _, l := range models {
		out = append(out, ModelInfo{l.name, l.what, l.fit != nil, l.standard != nil})
	}
	return out
}

func modelNamed(name string) (modelEntry, error) {
	var names []string
	for _, l := range models {
		if l.name == name {
			return l, nil
		}
		names = append(names, l.name)
	}
	return modelEntry{}, fmt.Errorf("unknown model %q, expected one of: %s", name, strings.Join(names, ", "))
}
