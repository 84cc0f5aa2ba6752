package policy

import "testing"

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{Rules: fromLists(Lists{Allowed: []string{"ShellTool(git)"}})}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseBuiltin(b *testing.B) {
	for b.Loop() {
		Parse("built-in policy", builtinTOML, TierDefault)
	}
}

func BenchmarkCheckShell(b *testing.B) {
	e, err := New(Options{Interactive: true})
	if err != nil {
		b.Fatal(err)
	}
	c := shellCall("cd src && go test ./... | tee out.log; git status")
	for b.Loop() {
		e.Check(c)
	}
}
