package builtin

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/publicaddr"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		public bool
		addrs  string
	}{
		{true, "8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 2606:4700::1111 ::ffff:8.8.8.8"},
		// This machine and its networks.
		{false, "127.0.0.1 127.255.0.1 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 ::1 ::"},
		{false, "fe80::1 fe80::1%eth0 fc00::1 fd12::1 fec0::1"},
		// Carriers, documentation, tests, multicast, broadcast.
		{false, "192.31.196.1 192.52.193.1 192.175.48.1 192.88.99.1 2620:4f:8000::1 100.64.0.1 100.127.255.255 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 255.255.255.255 240.0.0.1 2001:db8::1 ff02::1"},
		// IPv4 in IPv6.
		{false, "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001::1"},
	} {
		for a := range strings.FieldsSeq(tt.addrs) {
			assert.Equal(t, tt.public, publicaddr.Is(netip.MustParseAddr(a)), a)
		}
	}
}

func TestFindURLs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		prompt, urls, faults string
	}{
		{"no address", "", ""},
		{"sum https://a.test/x?q=1#top and http://b.test", "https://a.test/x?q=1 http://b.test/", ""},
		{"twice https://a.test https://a.test/", "https://a.test/", ""},
		// Punctuation of the sentence.
		{"see (https://a.test/x), please.", "https://a.test/x", ""},
		{"<https://a.test/x>; **https://b.test/y**", "https://a.test/x https://b.test/y", ""},
		{"https://a.test/wiki/Go_(game) and [x](https://b.test/y).", "https://a.test/wiki/Go_(game) https://b.test/y", ""},
		{"https://a.test:8080/x!", "https://a.test:8080/x", ""},
		// Files on GitHub.
		{"https://github.com/o/r/blob/main/d/f.go?plain=1#L1", "https://raw.githubusercontent.com/o/r/main/d/f.go", ""},
		{"https://github.com/o/r/issues/1 https://github.com/o/r/blob/main", "https://github.com/o/r/issues/1 https://github.com/o/r/blob/main", ""},
		// Faults.
		{"ftp://a.test file:///etc/passwd", "", `Malformed URL detected: "file:///etc/passwd". Unsupported protocol in URL: "ftp://a.test". Only http and https are supported.`},
		{"http:// http://%zz http://:80", "", `Malformed URL detected: "http://%zz". Malformed URL detected: "http://". Malformed URL detected: "http://:80".`},
	} {
		urls, faults := findURLs(tt.prompt)
		var got []string
		for _, u := range urls {
			got = append(got, u.String())
		}
		assert.Equal(t, tt.urls, strings.Join(got, " "), tt.prompt)
		var want []string
		if tt.faults != "" {
			for f := range strings.SplitAfterSeq(tt.faults, ". ") {
				want = append(want, strings.Fields(f)...)
			}
		}
		assert.ElementsMatch(t, want, strings.Fields(strings.Join(faults, " ")), tt.prompt)
	}
}
