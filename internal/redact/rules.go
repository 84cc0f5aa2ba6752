package redact

import (
	"regexp"
	"strings"
	"sync"
)

// rule finds one kind of secret in a text. The first group of its pattern is the
// secret, or else the whole match.
type rule struct {
	kind    string // for display, such as "GitHub token"
	pattern string
	holds   string                  // every match contains one of these words; empty if any text may match
	check   func(value string) bool // nil if every match is a secret
	regexp  func() *regexp.Regexp   // set for rules in a table, see compile
}

// compile gives each rule its regular expression, which is compiled on first use: most
// texts need none of them.
func compile(rules []rule) []rule {
	for i, r := range rules {
		rules[i].regexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.pattern) })
	}
	return rules
}

func (r rule) compiled() *regexp.Regexp { return r.regexp() }

// mayMatch reports whether text contains one of the words of r.
func (r rule) mayMatch(text string) bool {
	for word := range strings.FieldsSeq(r.holds) {
		if strings.Contains(text, word) {
			return true
		}
	}
	return r.holds == ""
}

// shapes are secrets that are recognized by their own form, anywhere.
var shapes = compile([]rule{
	{kind: "key", holds: "-----BEGIN", pattern: `-----BEGIN (?:[A-Z0-9]+ )*(?:PRIVATE KEY(?: BLOCK)?|` +
		`CERTIFICATE)-----` +
		`(?s:.*?)(?:-----END [A-Z0-9 ]+-----|\z)`},
	{kind: "password in a URL", holds: "://", pattern: `(?i:[a-z][a-z0-9+.-]*)://[^/\s:@]*:[^/\s@]+@`},
	{kind: "GitHub token", holds: "ghp_ gho_ ghu_ ghs_ ghr_", pattern: `\bgh[pousr]_[A-Za-z0-9]{30,}`},
	{kind: "GitHub token", holds: "github_pat_", pattern: `\bgithub_pat_[A-Za-z0-9_]{30,}`},
	{kind: "Google key", holds: "AIza", pattern: `\bAIza[0-9A-Za-z_-]{35}`},
	{kind: "Google token", holds: "ya29. GOCSPX-", pattern: `\b(?:ya29\.|GOCSPX-)[0-9A-Za-z_-]{20,}`},
	{kind: "AWS key", holds: "AKIA ASIA ABIA ACCA A3T", pattern: `\b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[0-9A-Z]{16}\b`},
	{kind: "JSON Web Token", holds: ".ey", pattern: `\bey[A-Za-z0-9_-]{9,}\.ey[A-Za-z0-9_-]{9,}\.[A-Za-z0-9_-]*`},
	{kind: "encoded JSON", holds: "eyJrIjoi ops_eyJ", pattern: `\b(?:ops_eyJ|eyJrIjoi)[A-Za-z0-9+/_-]{60,}={0,3}`},
	{kind: "encoded JSON Web Token", holds: "ZXlK", pattern: `\bZXlK[A-Za-z0-9+/_-]{40,}={0,2}`},
	{kind: "Stripe key", holds: "k_live_ k_test_ k_prod_", pattern: `\b[sr]k_(?:live|test|prod)_[0-9A-Za-z]{10,}`},
	{kind: "Slack token", holds: "xox xapp-", pattern: `\b(?:xox[abceoprs]|xapp)-[0-9A-Za-z-]{10,}`},
	{kind: "webhook", holds: "hooks.slack.com/ /api/webhooks/ .webhook.office.com/",
		pattern: `(?:hooks\.slack\.com/(?:services|workflows|triggers)|` +
			`discord(?:app)?\.com/api/webhooks|[a-z0-9]+\.webhook\.office\.com/webhookb2)/[A-Za-z0-9+/_@-]{20,}`},
	{kind: "API key", holds: "sk-", pattern: `\bsk-[A-Za-z0-9_-]{20,}`},
	{kind: "GitLab token", holds: "glpat- glptt- glrt- gldt- glft- glcbt- glimt- glagent- gloas- glsoat- glffct- " +
		"GR1348941",
		pattern: `\b(?:gl(?:pat|ptt|rt|dt|ft|cbt|imt|agent|oas|soat|ffct)-|GR1348941)[0-9A-Za-z_.-]{20,}`},
	{kind: "package registry token", holds: "npm_ pypi- rubygems_ CLOJARS_ oy2", pattern: `\b(?:npm_[A-Za-z0-9]{30,}|` +
		`pypi-[A-Za-z0-9_-]{50,}|rubygems_[a-f0-9]{48}|CLOJARS_[A-Za-z0-9]{60}|oy2[a-z0-9]{43})`},
	{kind: "Hugging Face token", holds: "hf_ api_org_", pattern: `\b(?:hf|api_org)_[A-Za-z0-9]{30,}`},
	{kind: "API key", holds: "gsk_ xai- pplx- r8_ nvapi- fw_ tvly- jina_", pattern: `\b(?:gsk_|xai-|pplx-|r8_|` +
		`nvapi-|fw_|tvly-|jina_)[A-Za-z0-9_-]{20,}`},
	{kind: "token", holds: "dop_v1_ doo_v1_ dor_v1_ dapi dp. lin_api_ lin_oauth_ pscale_ pnu_ pul- rdme_ shippo_ " +
		"duffel_ sntrys_ sntryu_",
		pattern: `\b(?:do[opr]_v1_|dapi|dp\.(?:pt|st|ct|sa|scim|audit)\.|lin_(?:api|oauth)_|pscale_(?:tkn|oauth|` +
			`pw)_|pnu_|pul-|rdme_|` +
			`shippo_(?:live|test)_|duffel_(?:live|test)_|sntry[su]_)[A-Za-z0-9_.=+/-]{30,}`},
	{kind: "token", holds: "shpat_ shpca_ shppa_ shpss_ SG. xkeysib- xsmtpsib- PMAK- glc_ glsa_ hvs. hvb. hvr. atlasv1 " +
		"ATATT3 ATBB ATCTT3",
		pattern: `\b(?:shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|SG\.[A-Za-z0-9=_.-]{60,}|(?:xkeysib|` +
			`xsmtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}|` +
			`PMAK-[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}|gl(?:c|sa)_[A-Za-z0-9+/_]{30,}={0,3}|hv[sbr]\.[A-Za-z0-9_-]{24,}|` +
			`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}|AT(?:ATT3|BB|CTT3)[A-Za-z0-9_=-]{24,})`},
	{kind: "token", holds: "EAAA sq0 EAAC EAAM EZAK EZTK FLW fio-u- fo1_ fm1 fm2_ ico- dt0c01. AGE-SECRET-KEY- LTAI " +
		"p8e- API- sha256~ PRVTE",
		pattern: `\b(?:EAAA[\w-]{22,}|sq0[a-z]{3}-[\w-]{22,}|EAA[CM][A-Za-z0-9]{20,}|EZ[AT]K[A-Za-z0-9]{54}|` +
			`FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?|` +
			`fio-u-[A-Za-z0-9_=-]{60,}|(?:fo1|fm1[ar]|fm2)_[\w+/=-]{40,}|ico-[A-Za-z0-9]{32}|` +
			`dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}|` +
			`AGE-SECRET-KEY-1[A-Z0-9]{58}|LTAI[A-Za-z0-9]{20}|p8e-[A-Za-z0-9]{32}|API-[A-Z0-9]{26}|sha256~[\w-]{43}|` +
			`PRVTE[A-Z0-9]{40,})`},
	{kind: "token", holds: "v1.0- s-s4t2 SK Q~ tk-us- t1. AQVN sl. tfp_ access- key- pat. sat. s.",
		pattern: `\b(?:v1\.0-[a-f0-9]{24}-[a-f0-9]{140,}|s-s4t2(?:ud|af)-[A-Fa-f0-9]{64}|SK[0-9a-fA-F]{32}|` +
			`\w{3}\dQ~[\w~.-]{31,34}|tk-us-[\w-]{48}|` +
			`t1\.[\w-]+={0,2}\.[\w-]{86}={0,2}|AQVN[\w-]{35,}|sl\.[\w=-]{130,}|tfp_[\w.=-]{50,}|` +
			`access-(?:sandbox|development|production)-[0-9a-f-]{36}|key-[0-9a-f]{32}|` +
			`[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}|s\.[A-Za-z0-9]{24})`},
	{kind: "service key", holds: ".acc_ .acc-", pattern: `\b(?:sc|ext|scauth|` +
		`authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}`},
	{kind: "bot token", holds: ":A", pattern: `\b[0-9]{8,12}:A[A-Za-z0-9_-]{34}`},
	{kind: "access token", holds: "| %", pattern: `\b\d{15,16}[|%][0-9A-Za-z_-]{27,40}`},
	{kind: "hash of a password", holds: "$apr1$ $2a$ $2b$ $2y$ $5$ $6$ $y$ $argon2", pattern: `\$(?:apr1|2[aby]|5|6|` +
		`y|argon2(?:id|i|d))\$[./A-Za-z0-9$,=+]{20,}`},
})
