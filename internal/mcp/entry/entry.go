// Package entry defines the configuration of one MCP server, as in "mcpServers" of the
// settings or an extension, or "mcp_servers" in the front matter of an agent. Whether
// the server is used is decided elsewhere.
package entry

// Server is one entry (core/config/config.ts).
type Server struct {
	Command      string            `json:"command,omitempty"`
	Args         []string          `json:"args,omitempty"`
	Env          map[string]string `json:"env,omitempty"`
	Cwd          string            `json:"cwd,omitempty"`
	URL          string            `json:"url,omitempty"`
	HTTPURL      string            `json:"httpUrl,omitempty" jsonschema:"Older: use url with type http."`
	Type         string            `json:"type,omitempty" enum:"stdio|sse|http"`
	Headers      map[string]string `json:"headers,omitempty"`
	Timeout      int               `json:"timeout,omitempty" jsonschema:"Milliseconds of one request."`
	Trust        bool              `json:"trust,omitempty"`
	IncludeTools []string          `json:"includeTools,omitempty"`
	ExcludeTools []string          `json:"excludeTools,omitempty"`
	OAuth        OAuth             `json:"oauth,omitzero"`
}

// OAuth is an entry's "oauth": the data for a sign-in at the server.
type OAuth struct {
	ClientID     string   `json:"clientId,omitempty" jsonschema:"A registered client; default: one is registered."`
	ClientSecret string   `json:"clientSecret,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
	RedirectURI  string   `json:"redirectUri,omitempty" jsonschema:"The way back: http://localhost:PORT/PATH."`
}
