package main

import (
	"encoding/gob"
	"os"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// kernel reads what a program displays in a notebook, and answers its requests to synchronise,
// until the program ends. It returns the number of displays.
func kernel(views, answers string) (drawn int) {
	in, err := os.Open(views)
	if err != nil {
		return 0
	}
	defer in.Close()
	out, err := os.OpenFile(answers, os.O_WRONLY, 0)
	if err != nil {
		return 0
	}
	defer out.Close()
	decoder, encoder := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var data protocol.DisplayData
		if decoder.Decode(&data) != nil {
			return drawn
		}
		request, is := data.Data[protocol.MIMECommValue].(protocol.CommValue)
		if !is {
			drawn++
			continue
		}
		answer := protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: request.Value}
		if encoder.Encode(&answer) != nil {
			return drawn
		}
	}
}
