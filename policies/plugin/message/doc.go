// Package message has the messages between marigram and policies outside of it, in two forms:
// JSON, and a flat form that is quick to read. docs/protocol.md describes both.
package message

// Version is the version of the messages. A plug-in that speaks another one is refused.
const Version = 1
