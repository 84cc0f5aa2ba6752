package remote

import "net/http"

// Transport is given, or where that is nil one like [http.DefaultTransport] with
// connections of its own: whoever closes the idle ones of the shared transport
// may break a request that is just being sent on one.
func Transport(given http.RoundTripper) http.RoundTripper {
	if given != nil {
		return given
	}
	if shared, ok := http.DefaultTransport.(*http.Transport); ok {
		return shared.Clone()
	}
	return http.DefaultTransport // whoever replaced it wants it to be used
}
