package spec

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/marigram/marigram/policies"
)

// Meaning returns a text that is the same for two specs of one file whose values mean
// the same, however they are written: 60 s and 1m, a setting's default and its value.
func (s *Spec) Meaning() string {
	same := *s
	same.Objectives = slices.Clone(s.Objectives)
	for i := range same.Objectives { // their seconds stand beside the text, and a name may be of it
		same.Objectives[i].Within, same.Objectives[i].Name = "", ""
	}
	same.Policies = slices.Clone(s.Policies)
	for i := range same.Policies {
		p := &same.Policies[i]
		policy, err := p.New()
		if err != nil {
			continue // a spec that was opened has none of these
		}
		p.Settings = map[string]any{}
		for _, x := range policies.Settings(policy) {
			p.Settings[x.Name] = x.Value
		}
	}
	b, err := json.Marshal(&same)
	if err != nil {
		panic(fmt.Sprintf("spec: without a JSON form: %v", err)) // numbers of a spec are finite
	}
	return string(b)
}
