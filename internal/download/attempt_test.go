package download

import (
	"errors"
	"net"
	"net/url"
	"testing"
)

// A name that can't be looked up is named once, without the servers that were asked for it; other
// causes stay as they are.
func TestExplain(t *testing.T) {
	lookup := &net.DNSError{Err: "server misbehaving", Name: "example.org", Server: "192.0.2.1:53"}
	for _, test := range []struct {
		connection *net.OpError
		want       string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Err: lookup}, "no connection: the address of example.org can't be looked up"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}, "no connection: dial tcp: connection refused"},
	} {
		err := explain(t.Context(), &url.Error{Op: "Get", URL: "https://example.org/set.tar", Err: test.connection})
		if err.Error() != test.want || !errors.Is(err, ErrUnreachable) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}
