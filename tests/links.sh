#!/bin/bash
# links.sh [ROOT]: every relative link in the documents names a file and a heading that exist, and design decisions
# and code name each other:
#   every D number cited in src/ has a page docs/decisions/dNN-….md;
#   every page has a row in docs/decisions/README.md with a status; built and partly built ones are cited in src/.
# Prints each offence as file:line. ROOT is another tree to look at, for the test of this script (tests/cli/links.test).
cd "${1:-$(dirname "$0")/..}" || exit 2
shopt -s nullglob
offences=0
offence() { echo "$1"; offences=$((offences + 1)); }

# links FILE…: file, line and target of each link; code is no link.
links() {
  awk '
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced; next }
    fenced { next }
    {
      text = $0
      gsub(/`[^`]*`/, "", text)
      while (match(text, /\]\([^() ]+\)/)) {
        print FILENAME "\t" FNR "\t" substr(text, RSTART + 2, RLENGTH - 3)
        text = substr(text, RSTART + RLENGTH)
      }
    }' "$@"
}

# headings FILE: the anchors of its headings, as GitHub makes them.
headings() {
  sed -nE '/^ *```/,/^ *```/!s/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^[:alnum:] _-]//g; s/ /-/g'
}

mapfile -t documents < <(find ./*.md docs src tests tools -name '*.md' 2>/dev/null | LC_ALL=C sort)
n_links=0
while IFS=$'\t' read -r file line target; do
  case $target in *://* | mailto:*) continue ;; esac
  n_links=$((n_links + 1))
  path=${target%%#*} anchor=
  [[ $target == *'#'* ]] && anchor=${target#*#}
  [ -n "$path" ] && path=$(dirname "$file")/$path || path=$file
  if [ ! -e "$path" ]; then
    offence "${file#./}:$line: no such file: $target"
  elif [ -n "$anchor" ] && ! headings "$path" | grep -qxF -- "$anchor"; then
    offence "${file#./}:$line: no such heading: $target"
  fi
done < <(links "${documents[@]}")

# A citation is D7 as a word, or the path of a page.
cited=' '
while IFS=: read -r file line number; do
  cited+="$number "
  pages=(docs/decisions/d"$(printf %02d "${number#D}")"-*.md)
  [ ${#pages[@]} = 1 ] || offence "$file:$line: $number has ${#pages[@]} pages in docs/decisions"
done < <(grep -rnowE 'D[1-9][0-9]?' src --include='*.[ch]' --include='*.def' --include='*.md' | LC_ALL=C sort)
while IFS=: read -r file line path; do
  [ -e "$path" ] || offence "$file:$line: no such file: $path"
done < <(grep -rnoE 'docs/decisions/[[:alnum:]_-]+\.md' src --include='*.[ch]' --include='*.def' --include='*.md')

n_pages=0
for page in docs/decisions/d[0-9][0-9]-*.md; do
  n_pages=$((n_pages + 1))
  name=${page##*/}
  number=${name:1:2}
  number=D$((10#$number))
  head -n 1 "$page" | grep -q "^# $number\. " || offence "$page:1: the title does not begin with '# $number. '"
  row=$(grep -F "| [$number]($name) |" docs/decisions/README.md)
  case $row in
    *'| built |' | *'| partly |')
      [[ $cited == *" $number "* ]] || offence "$page: no file of src/ cites $number" ;;
    *'| planned |') ;;
    *) offence "docs/decisions/README.md: no row '| [$number]($name) | … | built, partly or planned |'" ;;
  esac
done
echo "$n_links links, $n_pages decisions, $offences offences"
[ "$offences" = 0 ]
