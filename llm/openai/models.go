package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"minigem/llm/internal/remote"
)

// Models lists the models of the server, by one request that is not repeated.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	var names []string
	err := c.try(ctx, http.MethodGet, "/models", nil, func(_ *exchange, r io.Reader) error {
		data, err := remote.ReadAnswer(r, true)
		if err != nil {
			return err
		}
		var list struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
		}
		if json.Unmarshal(data, &list) != nil {
			return remote.NotAnAnswer(data)
		}
		for _, m := range list.Data {
			names = append(names, m.ID)
		}
		return nil
	})
	return names, err
}
