// Package parcae is Parcae (Duan et al., NSDI 2024), its ablations and bounds, and
// Robust, a policy of ours that forecasts nothing. Planner is its optimiser, which
// can be asked alone: the layouts of the coming intervals that train the most samples
// over a forecast of the instances.
package parcae
