# slug TITLE: prints TITLE as it stands in an address, "Hello, World" as "hello-world".
slug() {
	printf '%s' "$1" | tr 'A-Z' 'a-z' | tr ' ' '_'
}
