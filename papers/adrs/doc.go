// Package adrs judges programs by the rules of the ADRS problems "Can't Be Late", one zone and many zones, and by
// rules under which their scores are worth something: each tick billed where it ran, lateness counted.
//
// The problems are those of UCB-ADRS/ADRS-Leaderboard (commit f856497) and ttanv/levi (1283dca), whose loops agree
// but for what [Outcome] has twice. A job of 48 h runs on one machine, spot or on demand, which a program chooses at
// every tick; availability is recorded. The package registers two sets of judge: adrs and adrs-zones.
package adrs
