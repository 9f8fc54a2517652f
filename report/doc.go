// Package report makes results readable: one page for a folder of them (Page),
// why a policy did what it did (Explain), and a trace of instances and jobs for
// Perfetto (Trace). It knows result tables only; the same tables give the same
// bytes.
package report
