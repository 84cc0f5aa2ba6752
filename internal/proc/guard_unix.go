//go:build unix

package proc

import "os"

// guardScript records the ids of groups, and kills those that are left when its input
// ends.
const guardScript = `trap '' INT TERM HUP QUIT TSTP
known=' '
while read -r what pid; do
	case $what in
	+) known="$known$pid ";;
	-) known="${known%% $pid *} ${known#* $pid }";;
	esac
done
[ "$known" = ' ' ] && exit
for pid in $known; do kill -s TERM -- "-$pid"; done 2>/dev/null
sleep 1
for pid in $known; do kill -s KILL -- "-$pid"; done 2>/dev/null`

// startGuard returns the pipe to the guard, or nil if there is no guard.
func startGuard() *os.File {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer theirs.Close()
	wait, err := Attend(guardScript, theirs, nil)
	if err != nil {
		ours.Close()
		return nil
	}
	go wait()
	return ours
}
