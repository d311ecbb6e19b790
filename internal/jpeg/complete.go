package jpeg

import (
	"encoding/binary"
	"errors"
)

var (
	errIncomplete = errors.New("jpeg: the picture is incomplete: scans of the file are missing")
	errRestarts   = errors.New("jpeg: progressive pictures with restart markers aren't read: " +
		"save it as PNG")
)

// checkScans returns the standard library's error err, or an error for a file that lacks scans,
// which the library decodes without one.
func checkScans(data []byte, err error) error {
	d, coming, progressive, restarts := Decoder{rest: data[2:]}, scans{}, false, false
	for marker, found := d.marker(); found && len(d.rest) >= 2; marker, found = d.marker() {
		length := int(binary.BigEndian.Uint16(d.rest))
		if length < 2 || length > len(d.rest) {
			break
		}
		body := d.rest[2:length]
		d.rest = d.rest[length:]
		switch marker {
		case baselineFrame, extendedFrame, passesFrame:
			progressive = marker == passesFrame
			coming.begin(body)
		case restartEvery:
			restarts = true
		case startOfScan:
			coming.take(body, progressive)
		}
	}
	switch {
	case err != nil && progressive && restarts:
		return errRestarts
	case err == nil && !coming.done():
		return errIncomplete
	}
	return err
}

// scans maps each channel to the lowest bits of its 64 coefficients that are yet to come.
type scans map[byte]*[64]byte

// noBits marks a coefficient of which nothing has come.
const noBits = 16

func (s scans) begin(frame []byte) {
	for i := 6; i+3 <= len(frame); i += 3 {
		s[frame[i]] = new([64]byte)
		for k := range s[frame[i]] {
			s[frame[i]][k] = noBits
		}
	}
}

// take notes the bits of a scan. A bit whose upper neighbours are missing counts as missing.
func (s scans) take(body []byte, progressive bool) {
	fields := len(body) - 3
	if fields < 1 {
		return
	}
	first, last, before, low := 0, 63, byte(0), byte(0)
	if progressive {
		first, last, before, low = int(body[fields]), int(body[fields+1]), body[fields+2]>>4,
			body[fields+2]&15
	}
	for i := 1; i < fields; i += 2 {
		channel := s[body[i]]
		for k := first; channel != nil && k <= min(last, 63); k++ {
			if before == 0 || channel[k] == before {
				channel[k] = low
			}
		}
	}
}

func (s scans) done() bool {
	for _, bits := range s {
		if *bits != [64]byte{} {
			return false
		}
	}
	return true
}
