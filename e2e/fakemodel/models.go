package fakemodel

import (
	"net/http"
	"strings"
)

// listed is the only model in the list, but every name is accepted.
const listed = "fake-model"

// models answers requests for the list of models, or for one of them. It returns false for
// other requests.
func (x *exchange) models() bool {
	path := strings.TrimSuffix(x.req.URL.Path, "/")
	_, name, one := strings.Cut(path, "/models/")
	if !one && !strings.HasSuffix(path, "/models") {
		return false
	}
	if !one {
		name = listed
	}
	x.rec.Protocol, x.rec.Side = Chat, true
	model := object{"id": name, "object": "model", "created": 1735689600, "owned_by": "minigem"}
	list := object{"object": "list", "data": []any{model}}
	if x.req.Header.Get("anthropic-version") != "" {
		x.rec.Protocol = Anthropic
		model = object{"type": "model", "id": name, "display_name": name, "created_at": "2025-01-01T00:00:00Z"}
		list = object{"data": []any{model}, "has_more": false, "first_id": name, "last_id": name}
	}
	if f := x.keyFault(); f.Status != 0 {
		x.api = apis[x.rec.Protocol]
		x.fail(f)
		return true
	}
	if one {
		x.json(http.StatusOK, model)
	} else {
		x.json(http.StatusOK, list)
	}
	return true
}
