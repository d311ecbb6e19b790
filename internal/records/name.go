package records

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest returns a SHA-256 in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Short returns the digits of a hash that name a run or a folder of results.
func Short(hash string) string { return hash[:12] }
