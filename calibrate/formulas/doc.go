// Package formulas has closed forms that specs and commands use:
//
//   - compression of what tensor-parallel ranks exchange in every layer (the subject of MCBench, MLSys 2024). These are
//     formulas of our own: no measured time is public, so they say which way things go and are no evidence. What
//     compression costs in accuracy is not in them;
//   - training whose parameters do not fit into memory: they lie on a disk in partitions, some of which are in a buffer
//     (Marius, OSDI 2021; MariusGNN, EuroSys 2023);
//   - machines that fail: how often one of many does, how many are down, and how many spares keep enough of them up
//     (Nodes).
package formulas
