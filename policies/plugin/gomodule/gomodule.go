// Package gomodule is for policies in Go that are compiled to WebAssembly:
//
//	func main() {}
//	func init() { gomodule.Serve(func() gomodule.Policy { return new(mine) }) }
//
// built by GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o mine.wasm, and named in a spec by
// policies: [{name: mine, wasm: mine.wasm}].
package gomodule

import "github.com/marigram/marigram/policies/plugin/message"

// declared are the settings that the policy has; nil: it does not say.
var declared []message.Setting

// Declare says which settings the policy has, in an init function: marigram then refuses others, and values that are not as they
// say. Without any, it says that the policy has none. Number, Count, Switch and Choice declare one each, and read it.
func Declare(settings ...message.Setting) {
	declared = append(append(make([]message.Setting, 0, len(declared)+len(settings)), declared...), settings...)
}

// Number declares a setting that is a number from low to high, and returns what reads it.
func Number(name string, otherwise, low, high float64, doc string) func() float64 {
	Declare(message.Setting{Name: name, Default: otherwise, Min: &low, Max: &high, Doc: doc})
	return func() float64 { return Setting(name, otherwise) }
}

// Count declares a setting that is a whole number from low to high, and returns what reads it.
func Count(name string, otherwise, low, high int, doc string) func() int {
	Declare(message.Setting{Name: name, Default: otherwise, Min: new(float64(low)), Max: new(float64(high)), Whole: true, Doc: doc})
	return func() int { return int(Setting(name, float64(otherwise))) }
}

// Switch declares a setting that is true or false, and returns what reads it.
func Switch(name string, otherwise bool, doc string) func() bool {
	Declare(message.Setting{Name: name, Default: otherwise, Doc: doc})
	number := 0.0
	if otherwise {
		number = 1
	}
	return func() bool { return Setting(name, number) != 0 }
}

// Choice declares a setting that is one of some names, the first of which is its default, and returns what reads it.
func Choice(name, doc string, names ...string) func() string {
	Declare(message.Setting{Name: name, Default: names[0], Names: names, Doc: doc})
	return func() string { return SettingText(name, names[0]) }
}

// Policy is a policy of one run.
type Policy interface {
	// Begin is called once, before the first decision.
	Begin(b *message.Begin)
	// Decide looks at the view, which is valid during the call, and changes the plan, which is empty:
	// what it leaves out stays as it is.
	Decide(v *message.View, plan *message.Plan)
}
