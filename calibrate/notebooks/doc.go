// Package notebooks has sessions of notebooks, which need GPUs only while a cell runs: how they
// are read, what they reserve and use, and a model of them for the world (Platform), whose
// hosts policies/notebooks holds. After NotebookOS (ASPLOS 2026).
package notebooks
