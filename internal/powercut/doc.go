// Package powercut computes what a power cut can leave on a disk. It records the steps in which
// package files writes, and makes a folder for each state that a disk may be in after any number of
// them:
//
//	record, err := powercut.NewRecord(folder, func() error { return run.Train(ctx, nil) })
//	for state := range record.States() {
//		err := state.Restore(another) // then open what is there
//	}
//
// The model is that of a file system with an ordered journal, such as ext4: names of files and
// folders reach the disk in the order of the calls and at the latest when a folder is synced;
// content reaches it at any time, in part or not at all, until its file is synced.
package powercut
