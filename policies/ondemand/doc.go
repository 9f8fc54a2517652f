// Package ondemand plans clusters on demand: the cheapest clusters, now and later, with which a job
// meets its deadline, and the soonest end that there is. The policy [OnDemand] follows such a plan;
// the safe forms of package safe fall back on it.
//
// A [Schedule] is one cluster until the end, or one until an instant and another after it. Two are
// enough: rates and on-demand prices do not change, so that the cheapest way to a number of
// progress within a time lies between two neighbours of the lower convex hull of (rate, price), as
// in package bound. What an instance costs while it boots, and what a change of the layout stops,
// are part of the price of a schedule.
//
// Boots are planned at a bound: all missing instances of a cluster are ready within it with the
// probability [Planner.Share]. The schedule is made anew whenever something happens, from what is
// held then, so that boots that take less time make it cheaper.
package ondemand
