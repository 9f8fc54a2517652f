// Package mdp is a policy that plans ahead: it solves a Markov decision process of the market that it believes in, and
// holds what costs least until the next decision and is expected to cost least from then on.
//
// # The process
//
// The state is a step of time, the work that is left, the regime of the market (which spot pools have room), and the
// cluster that is held. The value of a state is the least expected cost to go. In each step the job goes over to one of
// the clusters of the regime, which takes boots, a stall or a restart, and what is held until the new one is ready if
// that is cheaper; it trains there for the step, and then the regime may be another one: what has no room is lost, with
// what a loss stops and sets back, less what a notice saves. With W(c, x) the cost of a step on cluster c with work x
// left, and of all after it, the value of holding h is the least over c of what the change takes and W(c, x + the work
// that it takes).
//
// Clusters are what is best on spot in some regime, what is best on demand, and both together; of one pool all numbers
// up to eight. Another cluster is valued as the nearest of them, less the boots between. Up to three spot pools are a
// Markov chain each; of more of one instance type, where changes stop the job, the three that matter most. Of others
// eight states are drawn, the next step keeps the state or draws it anew, and what is held is left out: the best
// cluster of one state becomes that of the next, which takes boots and stalls. Where moves of the job's state take more
// than a boot, its place is part of the state. Late work costs more than any cluster.
// Solved backward in time, on a grid with linear interpolation, that is a table in some milliseconds. Six tables are
// kept, and serve all runs that have the same job, prices and law.
//
// # The law
//
// A spot pool is believed to have room for spans of an exponential distribution, and none for others. Their rates have
// a Gamma distribution: at first that of the settings, then with the removals and grants that the run has seen, and the
// hours in which they could have come. Where the capacity of an only spot pool was recorded, the day before the run
// counts, too, with a small weight.
//
// Prices are believed to stay as they are, but for that of the one spot pool of a market: once it was seen to change,
// it is believed to go between two levels, which are the means of what was seen on both sides of the price that parts
// that best. The state has the level, and their rates are learnt as those of rooms. Between both levels, what is
// expected is linear in the price of now. A price that wanders from one to the other, or less than half up, is
// believed to stay, and so are prices where billing rounds up to whole units or moves take something.
//
// When it has some, a pool is believed to have room for as many instances as it had last: a request that is granted in
// part, or instances under notice, say how many. Where all that pools have room for is too little to train on, those
// that have some are believed to have none, until they have as many as in the mean of the rooms that were seen, and of
// one for all. What is too little is given back, and asked for again five minutes later. That a pool which has room for
// some may soon have room for more is not planned for, nor that a loss may leave some.
//
// # The decision
//
// At each decision the clusters of the pools that have room now are priced, with what is held: the cost until the next
// decision, and the value of the state then, where boots, restarts and rollbacks count as work. Pools that have no room
// keep a request where the best cluster would have their instances, unless instances there are under notice: more would
// go with them. Where nothing that has the job's state would stay, what is not saved is part of the cost, or the save
// that is made before.
//
// It saves before announced losses, at Young's interval by the losses without notice that are believed, and before the
// promise would have on demand begin because of what is not saved.
//
// It plans for no failing machines: such runs keep the promise, and may cost more than they need to.
//
// # Hours
//
// Where billing rules round up to a unit of more than a minute, a whole hour for instance, what is held costs nothing
// until its unit ends, a new instance costs a whole one, and what is given back before saves nothing. Up to three spot
// pools the state of the process has how much of the unit is paid, in up to six phases, of short jobs more: a unit is
// a number of steps, and is paid at once; one that lasts to the deadline needs no phases. Instances that began at
// different instants are counted at their mean there; in the decision each has its own. Of more pools, and of long
// jobs, a unit counts where something is given back or lost. What is paid stays until its unit ends, if it makes
// training faster. What is held has to be within the limit of what waiting may cost at worst ([safe.Safe.Worst]): the
// units of new spot instances, in vain, and the schedule on demand from then on. Where nothing that is held trains, it
// waits only if the limit pays for the fewest spot instances that train, too. Where all is beyond the limit, it holds
// what exceeds it least.
//
// # The promise
//
// The promise is that of package safe, and above it: whatever is believed, the policy is asked only while on demand
// still meets the deadline, and a plan after which it would not is not taken. So is a plan after which on demand alone
// would cost more than the limit of what waiting for spot may cost, and of one try that is lost more: the stops when its
// instances come, when they go, and when those on demand come. Without that nothing could be tried where restarts are
// slow. No first try is made if after it, and a restart, on demand alone would cost more than the limit. Once that is
// reached on demand is held, and spot next to it takes over when it is ready; such swaps may risk as much again. Of jobs
// that lose training with an instance this is so where a save takes less than a boot.
package mdp
