package remote

import "net/http"

// Transport returns given. If that is nil, it returns a transport like
// [http.DefaultTransport] with separate connections, because closing the idle
// connections of the shared one may break a request that is just being sent.
func Transport(given http.RoundTripper) http.RoundTripper {
	if given != nil {
		return given
	}
	if shared, ok := http.DefaultTransport.(*http.Transport); ok {
		return shared.Clone()
	}
	return http.DefaultTransport // it was replaced, so it should be used
}
