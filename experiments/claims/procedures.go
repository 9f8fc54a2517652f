package claims

import "fmt"

var procedures = map[string]Procedure{}

// Register adds a procedure under the name by which specs of figures ask for it.
// Two of one name panic. Package claims/all registers those of this module.
func Register(name string, p Procedure) {
	if procedures[name] != nil {
		panic(fmt.Sprintf("claims: two procedures %q", name))
	}
	procedures[name] = p
}
