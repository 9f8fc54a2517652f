// Package outofcore computes what training costs whose parameters do not fit into
// memory: they lie on a disk in partitions, some of which are in a buffer (Marius, OSDI
// 2021; MariusGNN, EuroSys 2023). Closed forms, no simulation; and whether that beats
// several GPUs that have all in memory (Cheapest).
package outofcore
