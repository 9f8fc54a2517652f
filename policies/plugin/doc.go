// Package plugin is the door to policies that are not Go packages of this program: programs that
// answer on their standard output. One gets a message for each decision, the view, and answers with
// one, the plan. docs/protocol.md describes the messages.
//
// Package process carries the messages.
package plugin
