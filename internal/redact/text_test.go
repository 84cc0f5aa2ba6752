package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These are made up, and assembled here so that no scanner takes them for real.
var (
	secret   = "q7Zr" + strings.Repeat("x9Kd", 5)
	hexed    = strings.Repeat("0f3a9c71", 4)
	letters  = strings.Repeat("aBcDe", 7)[:34]
	password = "hunter" + "2hunter"
)

// Every common kind of secret is masked, and named in the result. The text of each row
// contains its secret once.
func TestTextFindsTheCommonKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, secret, taken string }{
		// By the name next to it
		{"API_TOKEN=%", secret, "API_TOKEN"},
		{"export FOO_PASSWORD='%'", password, "FOO_PASSWORD"},
		{"password: %", password, "password"},
		{"db.password = %", "correcthorse", "db.password"},
		{"aws_secret_access_key = %", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY", "aws_secret_access_key"},
		{"aws configure set aws_secret_access_key %", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY", "key of AWS"},
		{"//registry.npmjs.org/:_authToken=%", secret, "_authToken"},
		{"//registry.npmjs.org/:_auth=%", secret, "_auth"},
		{`{"apiKey": "%"}`, hexed, "apiKey"},
		{`{\"client_secret\":\"%\"}`, secret, "client_secret"},
		{`{"password": "%"}`, "123456", "password"},
		{`{"auths":{"r.example":{"auth":"%"}}}`, "dXNlcjpw" + "YXNzd29yZA==", "auth"},
		{"const apiKey = \"%\";", secret, "apiKey"},
		{"api_key := `%`", secret, "api_key"},
		{"os.environ['DB_PASS'] = '%'", password, "DB_PASS"},
		{"SECRET_KEY = \"%\"", "django-insecure-" + secret, "SECRET_KEY"},
		{"AccountKey=%;EndpointSuffix=core", secret + "==", "AccountKey"},
		{"Server=db;User Id=sa;Pwd=%;", password, "Pwd"},
		{"<password>%</password>", password, "password"},
		{`<add key="ClearTextPassword" value="%" />`, password, "ClearTextPassword"},
		{"deploy --token %", secret, "token"},
		{"deploy --db-password=%", password, "db-password"},
		{"datadog: %", hexed, "datadog"},
		{"HEROKU=%", "12345678-abcd-4bcd-8bcd-" + "1234567890ab", "HEROKU"},
		{"anything = \"%\"", secret, "anything"},
		// Recognized by context
		{"Authorization: Bearer %", secret, "Authorization header"},
		{"-H 'Authorization: Basic %'", "dXNlcjpw" + "YXNz", "Authorization header"},
		{"Proxy-Authorization: token %", secret, "Authorization header"},
		{"sent Bearer %", secret, "bearer token"},
		{"X-Api-Key: %", secret, "X-Api-Key"},
		{"Cookie: %", "session=abc; id=1", "cookie"},
		{"curl -u me:% https://host", password, "password of curl"},
		{"mysql -u root -p%", password, "password of a client"},
		{"openssl rsa -passin pass:%", password, "password"},
		{"ALTER USER x PASSWORD '%'", password, "password"},
		{"machine h login me password %", password, "password"},
		{"db.example:5432:app:me:%", password, "password"},
		{"My password is %.", password, "password"},
		{"https://h/x?sig=%", secret, "signature in a URL"},
		{"git clone https://%@git.example/r", secret, "token in a URL"},
		{"kind: Secret\ndata:\n  a: %\n", "aHVudGVyMg==", "secret of Kubernetes"},
		{"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n%", "AAAA" + secret, "key"},
		// By its shape
		{"%", github, "GitHub token"},
		{"%", "github_pat_" + letters, "GitHub token"},
		{"%", google, "Google key"},
		{"%", amazon, "AWS key"},
		{"%", jwt, "JSON Web Token"},
		{"%", stripe, "Stripe key"},
		{"%", slack, "Slack token"},
		{"%", "hooks.slack.com/services/" + "T0/B0/" + secret, "webhook"},
		{"%", "sk-ant-api03-" + secret, "API key"},
		{"%", "glpat-" + letters, "GitLab token"},
		{"%", "npm_" + letters + "ab", "package registry token"},
		{"%", "pypi-" + letters + letters, "package registry token"},
		{"%", "hf_" + letters, "Hugging Face token"},
		{"%", "gsk_" + letters, "API key"},
		{"%", "dop_v1_" + hexed + hexed, "token"},
		{"%", "shpat_" + hexed, "token"},
		{"%", "SG." + letters + "." + letters, "token"},
		{"%", "hvs." + letters, "token"},
		{"%", "lin_api_" + letters + "abcdef", "token"},
		{"%", "AGE-SECRET-KEY-1" + strings.Repeat("Q", 58), "token"},
		{"%", "123456789:A" + letters, "bot token"},
		{"%", "$2b$12$" + letters, "hash of a password"},
		{"%", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + secret + "\n-----END OPENSSH PRIVATE KEY-----", "key"},
		{"%", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n" + secret + "\n-----END PGP PRIVATE KEY BLOCK-----", "key"},
	} {
		text := strings.Replace(c.text, "%", c.secret, 1)
		masked, taken := Text("before\n" + text + "\nafter")
		assert.NotContains(t, masked, c.secret, text)
		assert.Contains(t, masked, Shown, text)
		assert.Equal(t, []string{c.taken}, taken, text)
		again, more := Text(masked)
		assert.Equal(t, masked, again, "once is enough")
		assert.Empty(t, more, masked)
	}
}

func TestTextLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "the token is missing", "password: string", "token := os.Getenv(\"TOKEN\")", "TOKEN=$(cat token)", "TOKEN=$TOKEN", "password=${PASS}",
		`{"promptTokenCount": 1234, "totalTokenCount":5678}`, "max_tokens=4096", "tokens: 12", "if token == nil {", "commit " + strings.Repeat("0f3a", 10),
		"sha256 = \"" + hexed + hexed + "\"", "model: gemini-2.5-flash-preview-05-20", "claude = \"claude-sonnet-4-20250514\"", "id: 3f2a9c71-abcd-4bcd-8bcd-1234567890ab",
		"password = getpass.getpass()", "secret_file=/run/secrets/x", "token_uri: https://oauth2.example/token", "auth = user.token", `"matcher": "write_file|replace"`,
		"grep -E 'password|secret' file", "go test ./... -run TestA -count 1", "https://host/path?page=2", "key: value", "KEY_MODE=disabled",
		"git -c user.name=me commit -m 'add tokens'", "Cookies: 3", "docker run -p 8080:80 image", "ssh -p 2222 host", "func Token(t string) (token string)",
	} {
		masked, taken := Text(text)
		assert.Equal(t, text, masked)
		assert.Empty(t, taken, text)
	}
}

func TestTextKeepsJSON(t *testing.T) {
	t.Parallel()
	nested, err := json.Marshal(map[string]any{"password": password, "pin_password": 123456, "text": "API_TOKEN=\"" + secret + "\"\nnext: \\x"})
	require.NoError(t, err)
	outer, err := json.Marshal(map[string]any{"args": string(nested), "tokenCount": 7, "secret": "with \"quotes\" and \\ inside"})
	require.NoError(t, err)
	for _, text := range []string{string(nested), string(outer)} {
		masked, _ := Text(text)
		assert.True(t, json.Valid([]byte(masked)), masked)
		assert.NotContains(t, masked, password)
		assert.NotContains(t, masked, secret)
		assert.NotContains(t, masked, "inside")
	}
}
