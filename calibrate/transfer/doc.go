// Package transfer says what it costs and how long it takes to carry data from one
// place to another: a checkpoint between zones, regions or clouds. Tariffs are published
// ones by name (Names, Named) or a table of the user's own (Read).
package transfer
