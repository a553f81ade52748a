# Functions of the documentation's shell blocks. Read it with a dot: . docs/examples/shell.sh

# Call the API with the key in KEY. An error answer is printed, and the call fails.
call() { curl -sS --fail-with-body -H "X-API-Key: $KEY" -H 'Content-Type: application/json' "$@" && echo; }

# Call the API with the wallet session in SESSION.
signed_in() { curl -sS --fail-with-body -H "Authorization: Bearer $SESSION" "$@" && echo; }

# Print a member of the JSON object that is read.
member() {
  python -c '
import json, sys
found = json.load(sys.stdin)[sys.argv[1]]
print(found if isinstance(found, str) else json.dumps(found))' "$1"
}
