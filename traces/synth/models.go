package synth

import (
	"github.com/marigram/marigram/internal/registry"
)

// models lists the generators; each is one file.
var models = registry.Of("model", func(e modelEntry) string { return e.name }, bulkEntry, kaplanMeierEntry, bathtubEntry, priceEntry, bambooEntry,
	blockEntry, exponentialEntry)

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
	for _, l := range models.All() {
		out = append(out, ModelInfo{l.name, l.what, l.fit != nil, l.standard != nil})
	}
	return out
}
