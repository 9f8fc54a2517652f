// Command marigram simulates the training of neural networks on cloud capacity
// that comes and goes: what it costs, when it finishes, and whether it meets its
// objective, under policies of one's choice. It is package cmd; a program of your
// own with policies of your own is made as this one is.
package main

import "github.com/marigram/marigram/cmd"

func main() { cmd.Main() }
