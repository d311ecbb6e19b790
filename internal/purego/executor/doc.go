// Package executor brings the kernels of package kernel to GoMLX's pure-Go backend: executors for single operations, and a
// graph pass that joins several into one pass over memory. Whatever they don't know goes to the executors that were there
// before. Install checks them on small graphs against those and turns them off, with the reason, where anything differs.
package executor
