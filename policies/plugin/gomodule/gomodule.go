// Package gomodule is for policies in Go that are compiled to WebAssembly:
//
//	func main() {}
//	func init() { gomodule.Serve(func() gomodule.Policy { return new(mine) }) }
//
// built by GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o mine.wasm, and named in a spec by
// policies: [{name: mine, wasm: mine.wasm}].
package gomodule

import "github.com/marigram/marigram/policies/plugin/message"

// Policy is a policy of one run.
type Policy interface {
	// Begin is called once, before the first decision.
	Begin(b *message.Begin)
	// Decide looks at the view, which is valid during the call, and changes the plan, which is empty:
	// what it leaves out stays as it is.
	Decide(v *message.View, plan *message.Plan)
}
