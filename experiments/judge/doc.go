// Package judge compares policies of others with all of marigram's on a fixed set of studies.
//
// A Set is a versioned list of specs, each with its seeds or starts. Judge runs them and returns a Result: what
// each policy cost beside the least that any policy can cost in hindsight (package bound), how often it met
// the objective, and its rank with its interval. A set can be sealed for the owner of a Key, by
// anybody who has its Public part: its files are encrypted (HPKE, RFC 9180, with X25519, HKDF-SHA256 and AES-256-GCM), and
// what was judged by it is signed (Ed25519).
//
// A run that misses its objective also pays what the whole job costs under the policy ondemand, n times as the set
// says (Set.Late). A policy that is not for the model or the pools of a study counts there as ondemand.
package judge
