#!/bin/sh
# Runs every make target that a document names, and says which of them fail: once a release, since some take an hour.
# usage: tools/targets.sh [TARGET...], from the root of the repository; without names all of them. A name in a document
# that is no target of Makefile or tools/Makefile is an error, too. What a target needs beyond Go and make is on its line of make help
# or make -C tools help.
# Some targets write files of the repository anew: the tree has to be without changes, and is put back after each.
set -u
[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo 'the tree has changes: commit them first'; exit 2; }
named=$(git ls-files '*.md' | grep -v '^CHANGELOG.md$' | xargs grep -ohE '(`|^|^\$ )make (-C tools )?[a-z][a-z-]*' | sed -E 's/.*make (-C tools )?//' | sort -u)
failed=''
for target in ${*:-$named}; do
  grep -qE "^$target:" Makefile tools/Makefile || { echo "$target: no target, although a document names it"; failed="$failed $target"; continue; }
  case $target in
  check-targets) continue ;; # this one
  bench-compare) setting=REF=HEAD~1 ;;
  *) setting='' ;;
  esac
  log=out/targets/$target.txt
  mkdir -p out/targets
  began=$(date +%s)
  if make -f tools/Makefile "$target" $setting >"$log" 2>&1 </dev/null; then
    echo "$target: done in $(($(date +%s) - began)) s"
  else
    echo "$target: failed after $(($(date +%s) - began)) s, see $log"
    tail -n 5 "$log"
    failed="$failed $target"
  fi
  git checkout -q -- .
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
