# completion.test.sh FILE WORD…: what bash offers for the last of these words behind tessera.
source "$1"
shift
COMP_WORDS=(tessera "$@") COMP_CWORD=$#
_tessera
echo "${COMPREPLY[@]}"
