package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// secretName matches names whose values are secrets.
const secretName = `[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|credential|` +
	`(?:api|access|private|auth|signing|encrypt(?:ion)?|master|shared|account|license|deploy|storage|subscription|` +
	`service|` +
	`client|session|webhook|app|application|admin|hmac|aes|ssh|registry|integration|publish)[_.-]?(?:key|pass|pw)|` +
	`_auth|auth[_-]?token|\bauth\b|\bdsn\b|conn(?:ection)?[_-]?str(?:ing)?|(?-i:[A-Z0-9]_(?:KEY|PASS|PW|AUTH|PIN|` +
	`SALT|CREDS)\b))[\w.-]*`

// vendors matches names of services whose keys are hexadecimal or short, so that
// nothing else distinguishes them from a commit hash.
const vendors = `adafruit|adobe|airtable|algolia|alibaba|asana|atlassian|confluence|jira|beamer|bitbucket|bittrex|` +
	`cloudflare|codecov|cohere|` +
	`coinbase|confluent|contentful|datadog|discord|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub|flickr|` +
	`freshbooks|gitter|gocardless|` +
	`heroku|hubspot|intercom|jfrog|artifactory|bintray|kraken|kucoin|launchdarkly|linear|linked-?in|mailchimp|` +
	`mailgun|mapbox|mattermost|` +
	`message[_-]?bird|netlify|new[_-]?relic|nytimes|okta|plaid|private[_-]?ai|rapidapi|sendbird|sentry|contribsys|` +
	`snyk|squarespace|sumo|` +
	`telegram|travis|twitch|twitter|typeform|yandex|zendesk`

// assigned matches what separates a name from its value, in shell, JSON, YAML, TOML and
// code.
const assigned = `["'\\\]]*[ \t]*(?::{1,3}=|=>|<=|\|\|:|\?=|==?|:)[ \t]*`

// value matches a value in quotes, in escaped quotes, or up to the next blank or
// delimiter. Its group is the secret without the quotes.
const (
	inQuotes = `(?:"([^"\\\n]+(?:\\[^\n][^"\\\n]*)*)"|'([^'\n]+)'|` + "`([^`\n]+)`" + `|\\+"([^"\\\n]+)\\+")`
	bare     = `([^\s"'` + "`" + `\\,;&|<>(){}\[\]$*?][^\s"'` + "`" + `\\,;&|<>(){}\[\]$]*)`
	value    = `(?:` + inQuotes + `|` + bare + `)`
)

// contexts are secrets that are recognized by what surrounds them.
var contexts = compile([]rule{
	{kind: "Authorization header", pattern: `(?i)\bauthorization["'\\]*[ \t]*[:=,][ \t]*["'\\]*(?:[a-z]+[ ` +
		`\t]+)?([^\s"'\\,;$<{]{4,})`, check: isSecret},
	{kind: "bearer token", pattern: `(?i)\b(?:bearer|basic)[ \t]+([a-z0-9._~+/-]{12,}=*)`, check: mixed},
	{kind: "cookie", pattern: `(?i)\b(?:set-)?cookie["'\\]*:[ \t]*["'\\]*([^\n"'\\$]+)`},
	{kind: "password of curl", pattern: `\b(?:curl|wget|http)\b[^\n|;]*?[ \t](?:-u|` +
		`--user)[ =]?["']?[^\s:"'$]+:([^\s"'$]+)`},
	{kind: "password of a client", pattern: `\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|mongosh?|psql|` +
		`redis-cli|docker login|podman login)\b` +
		`[^\n|;]*?[ \t](?:-p|-a)[ \t]?["']?([^\s"'$-][^\s"'$]{3,})`},
	{kind: "password", pattern: `\bpass:([^\s"'$]{4,})`},
	{kind: "password", pattern: `(?i)\b(?:identified[ \t]+by|password)[ \t]+(?:'([^'\n]{4,})'|"([^"\n]{4,})")`},
	{kind: "password", pattern: `(?i)\blogin[ \t]+\S+\s+password[ \t]+(\S{4,})`},
	{kind: "password", pattern: `(?m)^[\w.*-]+:(?:\d{2,5}|\*):[^:\s]+:[^:\s]+:([^:\s]{4,})$`},
	{kind: "password", pattern: `(?i)\b(?:password|passphrase|passcode|api key|token|secret)[ \t]+(?:is|` +
		`was)[ \t:]+["'` + "`" + `]?([^\s"'` + "`" + `]{6,})`, check: mixed},
	{kind: "key", holds: "Private-Lines:", pattern: `Private-Lines: \d+\r?\n((?:[A-Za-z0-9+/=]+\r?\n?)+)`},
	{kind: "secret of Kubernetes", holds: "kind: Secret",
		pattern: `(?m)^[ \t]+[\w.-]+:[ \t]*["']?([A-Za-z0-9+/]{8,}={0,2})["']?[ \t]*$`},
	{kind: "signature in a URL", pattern: `(?i)[?&](?:key|sig|signature|code|auth|x-amz-signature|` +
		`x-goog-signature)=([^\s&"'#\\]{8,})`},
	{kind: "token in a URL", pattern: `(?i)\b[a-z][a-z0-9+.-]*://([^/\s:@"'$]{16,})@`, check: mixed},
	{kind: "key of AWS", pattern: `(?i)\b(?:aws_)?(?:secret_access_key|session_token)[ \t]+([^\s"'$-]{16,})`},
	{kind: "", pattern: `(?i)(?:^|[\s"'])--?(` + strings.ReplaceAll(secretName, `[\w.-]*(?:`,
		`[\w-]*(?:`) + `)[ \t]+` + value, check: isSecret},
	{kind: "", pattern: `(?i)<(` + secretName + `)>([^<\n]{4,})<`},
	{kind: "", pattern: `(?i)\b(?:name|key)=["'](` + secretName + `)["'][ \t]+value=["']([^"'\n]{4,})["']`},
	{kind: "", pattern: `(?i)(` + secretName + `)` + assigned + value, check: isSecret},
	{kind: "", pattern: `(?i)([\w.-]*(?:` + vendors + `)[\w.-]*)` + assigned + value, check: opaque},
	{kind: "", pattern: `(?i)([a-z_][\w.-]*)` + assigned + value, check: random},
})

// harmlessNames lists parts of names whose values are not secrets, although the name or
// the value looks like one.
var harmlessNames = sync.OnceValue(func() []string {
	return strings.Fields(`
	tokens tokencount token_count tokeniz token_type tokentype tokenlimit token_limit token_url token_uri tokenurl
	tokenendpoint secret_name secretname signature thought sha hash digest commit revision integrity checksum etag
	md5 version uuid guid keyword keyboard monkey _file _path filename pattern regex matcher`)
})

// harmlessValues lists placeholders, types and empty values.
var harmlessValues = sync.OnceValue(func() []string {
	return strings.Fields(`
	string bool boolean number object bytes null none true false undefined required optional disabled enabled empty
	hidden redacted secret password token value example function return await const process`)
})

// Text replaces every secret in text with [Shown] and returns what it replaced: the
// name of a variable or field, or a kind of secret such as "GitHub token". It finds
// more than [LooksSecret] does, because it also recognizes values by the names next to
// them. JSON remains valid.
func Text(text string) (masked string, taken []string) {
	for _, r := range slices.Concat(shapes, contexts) {
		if r.mayMatch(text) {
			text = r.mask(text, &taken)
		}
	}
	return text, taken
}

// mask replaces what r finds in text. The last group of r that matched is the secret,
// and a group before it is the secret's name.
func (r rule) mask(text string, taken *[]string) string {
	var b strings.Builder
	rest := 0
	for _, m := range r.compiled().FindAllStringSubmatchIndex(text, -1) {
		from, to, name := m[0], m[1], ""
		for g := 2; g < len(m); g += 2 {
			if m[g] < 0 {
				continue
			}
			if g == 2 && r.kind == "" {
				name = text[m[g]:m[g+1]]
			} else {
				from, to = m[g], m[g+1]
			}
		}
		if from < rest || strings.Contains(text[from:to], Shown) || !r.secret(name, text[from:to], text[to:]) {
			continue
		}
		b.WriteString(text[rest:from])
		b.WriteString(shownFor(text[from:to], text[m[0]:from]))
		rest = to
		*taken = append(*taken, or(r.kind, name))
	}
	return b.String() + text[rest:]
}

func or(kind, name string) string {
	if kind != "" {
		return kind
	}
	return strings.TrimLeft(name, "-.")
}

// quoteOfName matches the quote after a JSON field's name, escaped if the JSON is
// inside a string.
var quoteOfName = regexp.MustCompile(`(\\*")[ \t]*:[ \t]*$`)

// shownFor returns [Shown], in quotes if it replaces a JSON number.
func shownFor(value, before string) string {
	if m := quoteOfName.FindStringSubmatch(before); m != nil && digits(value) {
		return m[1] + Shown + m[1]
	}
	return Shown
}

// secret decides whether a value that r found is a secret, by its name and by what
// follows it.
func (r rule) secret(name, value, after string) bool {
	lower := strings.ToLower(name)
	if r.check != nil && strings.HasPrefix(after, "(") || strings.HasPrefix(after, "[") {
		return false // a call or an index in code
	}
	if containsAny(lower, harmlessNames()) {
		return false
	}
	if digits(value) && name != "" && !containsAny(lower, []string{"pass", "pwd", "pin"}) {
		return false
	}
	return r.check == nil || r.check(value)
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

func digits(value string) bool {
	return strings.Trim(value, "0123456789.-") == ""
}

var codePath = regexp.MustCompile(`^(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*$`)

// isSecret reports whether a value with a secret's name is a secret, rather than a
// variable, type or placeholder.
func isSecret(value string) bool {
	lower := strings.ToLower(strings.Trim(value, "!?.:"))
	return len(lower) >= 4 && !slices.Contains(harmlessValues(), lower) && !strings.HasPrefix(value,
		"$") && !strings.HasPrefix(value, "/") &&
		strings.Trim(lower, "*x.-_#") != "" && !strings.Contains(value, "://") && !codePath.MatchString(value)
}

// mixed reports whether value contains letters and digits, so that it is not a word of
// a sentence.
func mixed(value string) bool {
	return strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter) &&
		!codePath.MatchString(value)
}

// opaque reports whether value may be a vendor's key: one long word with letters and
// digits.
func opaque(value string) bool {
	return len(value) >= 14 && mixed(value) && !strings.ContainsAny(value, "/ ")
}

// minRandom is the minimum length of letters mixed with digits that count as a secret
// whatever their name.
const minRandom = 16

// random reports whether value looks randomly generated: it alternates between letters
// and digits more often than words and versions do. Hexadecimal numbers do not count,
// because they are more often commit or file hashes.
func random(value string) bool {
	if len(value) < minRandom || strings.ContainsAny(value, "/. \t:") || strings.Trim(strings.ToLower(value),
		"0123456789abcdef-") == "" {
		return false
	}
	changes, letters := 0, 0
	for i, c := range value {
		if unicode.IsLetter(c) {
			letters++
		}
		if i > 0 && unicode.IsDigit(c) != unicode.IsDigit(rune(value[i-1])) && value[i-1] != '-' && value[i-1] != '_' &&
			c != '-' && c != '_' {
			changes++
		}
	}
	return letters > 0 && changes >= 3
}
