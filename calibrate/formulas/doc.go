// Package formulas has closed forms of machines that fail: how often one of many does, how many are down, and how many
// spares keep enough of them up (Nodes).
package formulas
