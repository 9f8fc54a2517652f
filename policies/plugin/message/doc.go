// Package message has the messages between marigram and policies outside of it: JSON, an object a line.
// docs/protocol.md describes them.
package message

// Version is the version of the messages. A plug-in that speaks another one is refused.
const Version = 1
