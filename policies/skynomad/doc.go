// Package skynomad has the planning of SkyNomad (NSDI 2027): one job with a deadline that may run in any of several
// zones. It knows what was seen of each zone (Lifetimes), what an hour of progress is worth (Value), and Uniform
// Progress for several zones (Progress). Rules are those of the public code, andylizf/skynomad-artifact at 62b9aaa,
// which differ from the paper's in places. Policy is SkyNomad in the world of pools; its comment says where that
// differs from the replay of the public code. The policies with which it was compared are in papers/skynomad/uniform.
package skynomad
