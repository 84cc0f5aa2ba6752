# Runs the tests of slug.sh. Exit status 1 when one fails.
cd "$(dirname "$0")" && . ./slug.sh
failed=0
check() { # check TITLE WANT
	got=$(slug "$1")
	if [ "$got" = "$2" ]; then
		echo "ok    $1"
	else
		echo "FAIL  $1: got $got, want $2"
		failed=1
	fi
}
check "Hello World" "hello-world"
check "Hello, World" "hello-world"
check "one" "one"
exit $failed
