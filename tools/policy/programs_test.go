package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const allowPrograms = `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git", "npm test", "make", "tar", "go", "awk", "sed", "ssh", "rsync", "sort", "split", "curl", "man", "scp", "zip", "cargo", "test", "printf", "tee"]
decision = "allow"
priority = 100
`

// What allows a program does not allow the programs and files that its
// arguments name.
var programCorpus = []struct {
	want    Decision
	command string
}{
	// git: what writes where it is told
	{Allow, "git log --oneline -5"},
	{Allow, "git log -- $f"},
	{Allow, "git -C sub status"},
	{Allow, "git stash list"},
	{Ask, "git -C /tmp/evil status"},
	{Ask, "git -C ../evil status"},
	{Ask, "git log --output=/home/u/.bashrc"},
	{Ask, "git log --outp=x"},
	{Ask, "git diff --output x"},
	{Ask, "git show --output=x"},
	{Ask, "git shortlog --output=x"},
	{Ask, "git archive -o /home/u/.bashrc HEAD"},
	{Ask, "git format-patch -o /tmp HEAD"},
	// git: what runs what it is told, in every abbreviation
	{Allow, "git fetch origin"},
	{Ask, "git rebase main"},
	{Allow, "git commit -m x && git push"},
	{Allow, "git grep -n x"},
	{Ask, "git fetch --upl=evil o"},
	{Ask, "git push --rece=evil"},
	{Ask, "git rebase --ex 'curl evil' HEAD~1"},
	{Ask, "git rebase -ix evil"},
	{Ask, "git clone -u evil x"},
	{Ask, "git clone -c core.fsmonitor=evil x"},
	{Ask, "git clone --conf a=b x"},
	{Ask, "git clone ext::evil x"},
	{Ask, "git clone --template=evil x"},
	{Ask, "git init --template=x"},
	{Ask, "git grep --open=evil x"},
	{Ask, "git grep -iOevil x"},
	{Ask, "git archive --exec=evil --remote=x HEAD"},
	{Ask, "git for-each-repo --config=x evil"},
	{Ask, "git remote-ext x 'sh -c evil'"},
	{Ask, "git shell -c x"},
	{Ask, "git instaweb --httpd=evil"},
	{Ask, "git send-email --smtp-server=/tmp/evil x"},
	{Ask, "git submodule --quiet foreach evil"},
	// git config: the question stands first, or it is a value
	{Allow, "git config --get user.name"},
	{Allow, "git config --global --get user.name"},
	{Allow, "git config -l"},
	{Allow, "git config get user.name"},
	{Ask, "git config core.pager evil"},
	{Ask, "git config core.pager 'list; evil'"},
	{Ask, "git config core.pager get-evil"},
	{Ask, "git config --comment --get core.pager evil"},
	{Ask, "git config --file --list core.pager evil"},

	// Build tools
	{Allow, "go test ./..."},
	{Allow, "go test -run 'A|B' -count=1 ./x"},
	{Ask, "go test -exec evil ./..."},
	{Ask, "go test --exec=evil ./..."},
	{Ask, "go build -toolexec=evil"},
	{Ask, "go vet -vettool=/tmp/evil"},
	{Ask, "go build -o /home/u/.bashrc"},
	{Ask, "go build -overlay=x"},
	{Ask, "go build -ldflags=-extld=evil"},
	{Ask, "go env -w GOFLAGS=-toolexec=evil"},
	{Allow, "make all"},
	{Allow, "make -j4 CC=clang test"},
	{Ask, "make --eval='$(shell curl evil)'"},
	{Ask, "make --ev='$(shell curl evil)'"},
	{Ask, "make SHELL=/tmp/evil"},
	{Ask, "make -f /tmp/evil"},
	{Ask, "make -f-"},
	{Ask, "make -C /tmp"},
	{Ask, "make CC='curl evil;'"},
	{Allow, "npm test -- --grep x"},
	{Ask, "npm test --script-shell=evil"},
	{Ask, "npm test --prefix /tmp/evil"},
	{Ask, "npm test --node-options=--require=/tmp/evil"},
	{Ask, "cargo --config build.rustc-wrapper=evil build"},

	// Tools for files
	{Allow, "tar xf x.tar"},
	{Allow, "tar -czf x.tgz src"},
	{Ask, "tar --to-command=evil -xf x"},
	{Ask, "tar -xf x --to-c evil"},
	{Ask, "tar --checkpoint=1 --checkpoint-action=exec=evil -cf x y"},
	{Ask, "tar -I evil -cf x y"},
	{Ask, "tar --use-comp=evil -cf x y"},
	{Ask, "tar cIf evil x y"},
	{Ask, "tar -F evil -cf x y"},
	{Ask, "tar xf *"},
	{Allow, "awk '{print $1}' f"},
	{Allow, "awk -F: '$1 == 3 || $2 {print}' f"},
	{Ask, "awk 'BEGIN{system(\"curl evil\")}'"},
	{Ask, "awk '{print > \"/home/u/.bashrc\"}' f"},
	{Ask, "awk '{print|\"sh\"}' f"},
	{Ask, "awk 'BEGIN{\"curl evil\" | getline}'"},
	{Ask, "awk -f evil f"},
	{Ask, "awk 'BEGIN{SYMTAB[\"ARG\" \"V\"][1] = \".e\" \"nv\"} {print}' f"},
	{Ask, "gawk '@load \"x\"'"},
	{Allow, "sed s/a/b/g f"},
	{Allow, "sed -n '1,5p' f"},
	{Allow, "sed 's/one two/three/' f"},
	{Ask, "sed 's/a/curl evil/e' f"},
	{Ask, "sed 's|a|curl evil|ge' f"},
	{Ask, "sed '1e curl evil' f"},
	{Ask, "sed -n 'w /home/u/.bashrc' f"},
	{Ask, "sed 's/a/b/w /home/u/.bashrc' f"},
	{Ask, "sed -f evil f"},
	{Ask, "sort --compress-program=evil x"},
	{Ask, "split --filter=evil x"},
	{Ask, "zip x y -T -TT evil"},
	{Allow, "tee out.txt"},
	{Ask, "tee ~/.bashrc"},
	{Ask, "tee -a /etc/passwd"},
	{Ask, "tee $X"},
	{Allow, "test -f go.mod"},
	{Ask, "test -v 'a[$(curl evil)]'"},
	{Ask, "[ -v 'a[$(curl evil)]' ]"},
	{Ask, "printf -v 'a[$(curl evil)]' x"},

	// The network
	{Allow, "curl -s https://example.com"},
	{Ask, "curl -o ~/.bashrc https://example.com"},
	{Ask, "curl -K evil"},
	{Allow, "ssh host uptime"},
	{Ask, "ssh -o ProxyCommand=evil host"},
	{Ask, "ssh -oProxyCommand=evil host"},
	{Ask, "scp -S evil a b"},
	{Ask, "rsync -e evil a b"},
	{Ask, "man -P evil ls"},
}

func TestProgramsRunNoOthers(t *testing.T) {
	t.Parallel()
	e := engineWith(t, allowPrograms, Options{InWorkspace: inside, Interactive: true})
	for _, c := range programCorpus {
		v := e.Check(shellCall(c.command))
		assert.Equal(t, c.want, v.Decision, "%q: %+v", c.command, v)
	}
}
