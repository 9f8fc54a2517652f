// Command mine is marigram with a policy, a format of traces and a family of
// models of its own: what they register every command knows.
package main

import "github.com/marigram/marigram/cmd"

func main() { cmd.Main() }
