// Package seal keeps the sets of a judge secret and signs what came out.
//
// A Key is its owner's. Anybody can Seal for its Public part: HPKE (RFC 9180) with X25519, HKDF-SHA256 and
// AES-256-GCM, of the standard library. Only the Key opens it. Results are signed by Ed25519.
package seal
