// Package engine chooses the backend on which graphs are computed.
package engine
