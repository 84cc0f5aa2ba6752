package confine

import "errors"

// errEnded: a domain was closed before.
var errEnded = errors.New("it has ended already")

// Limits say what a [Domain] cannot keep on this machine, as parts of a sentence;
// empty: it keeps everything.
type Limits []string
