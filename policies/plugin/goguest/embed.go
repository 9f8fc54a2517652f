//go:build !wasip1

package goguest

import _ "embed"

// Example is a short policy in Go, with which one of one's own can begin.
//
//go:embed start/main.go
var Example []byte
