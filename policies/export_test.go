package policies

import "github.com/marigram/marigram/internal/registry"

// Unregister takes a policy from the list.
func Unregister(name string) {
	kept := registry.New[known]("policy")
	for _, k := range registered.All() {
		if k.Name != name {
			kept.Add(k.Name, k)
		}
	}
	registered = kept
}
