// Command steady is marigram with a policy of its own.
package main

import (
	"github.com/marigram/marigram/cmd"

	_ "example.org/steady/policy" // registers it
)

func main() { cmd.Main() }
