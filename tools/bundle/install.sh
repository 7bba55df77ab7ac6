#!/bin/sh
# @NAME@ @VERSION@ for Linux on @MACHINE@ with Python @PYTHON@, in one file. Installs without a network and without root:
#
#   sh @FILE@            install it for yourself
#   sh @FILE@ --help     where it goes, and what else it can do
#
# The lines up to the one that is marked are this program; a tar archive of Python packages follows.

set -eu
LC_ALL=C
export LC_ALL

say() { printf '%s\n' "$*"; }
refuse() { printf '%s: %s\n' "@NAME@" "$*" >&2; exit 2; }

usage() {
  cat <<'TEXT'
Usage: sh @FILE@ [--to FOLDER] [--python PROGRAM]
       sh @FILE@ --check | --licences | --help

  --to FOLDER       install into this folder (usually ~/.local/share/@NAME@; it must not exist, or hold an earlier version)
  --python PROGRAM  use this Python @PYTHON@ (usually python3 or python@PYTHON@, whichever is there)
  --check           check that this file is whole, and install nothing
  --licences        print the licences of all packages inside

It takes @DISK@ MB of disk, asks for no password, and uses no network. To remove it again, run FOLDER/uninstall.
TEXT
}

folder='' chosen='' task=install
while [ $# -gt 0 ]; do
  case $1 in
    --to|--python)
      [ $# -ge 2 ] || refuse "$1 needs a value; see --help."
      if [ "$1" = --to ]; then folder=$2; else chosen=$2; fi
      shift ;;
    --check|--licences) task=${1#--} ;;
    -h|--help) usage; exit 0 ;;
    *) refuse "there is no option $1; see --help." ;;
  esac
  shift
done

file=$0
[ -r "$file" ] && [ -f "$file" ] || refuse "save this program as a file and run: sh @FILE@"
for tool in sha256sum tail tar df; do
  command -v "$tool" >/dev/null 2>&1 || refuse "the program $tool is missing; it is part of every Debian (packages coreutils and tar)."
done
payload() { tail -c +@OFFSET@ "$file"; }

# Whole? A download that broke off, or that somebody changed, ends here.
sum=$(payload | sha256sum | cut -d' ' -f1)
[ "$sum" = @SHA256@ ] || refuse "this file is damaged or was changed: its checksum is not the one it was made with. Get it again."
if [ "$task" = check ]; then
  say "This file is whole. Compare its own checksum with the one that was published: sha256sum @FILE@"
  exit 0
elif [ "$task" = licences ]; then
  payload | tar -xOf - LICENCES.md
  exit 0
fi

# Does it fit this machine?
[ "$(uname -s)" = Linux ] || refuse "this file is for Linux."
[ "$(uname -m)" = @MACHINE@ ] || refuse "this file is for @MACHINE@ processors, and this is $(uname -m). Make one on such a machine: make bundle"
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2) || glibc=''
case $glibc in
  2.*) [ "${glibc#2.}" -ge @GLIBC@ ] || refuse "this system is too old: its C library is $glibc, and at least 2.@GLIBC@ is needed (Debian 12 has 2.36)." ;;
  *) refuse "this system has no GNU C library, which the packages in this file need." ;;
esac

version_of() {
  "$1" -I -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true
}
python='' seen=''
fits() {
  command -v "$1" >/dev/null 2>&1 || return 1
  seen=$(version_of "$1")
  [ "$seen" = @PYTHON@ ] && python=$(command -v "$1")
}
if [ -n "$chosen" ]; then fits "$chosen" || true; else fits python3 || fits python@PYTHON@ || true; fi
if [ -z "$python" ]; then
  case $seen in
    '') refuse "there is no Python here (${chosen:-python3}). Install it first: apt install python3" ;;
    2.*|3.?|3.10) refuse "Python $seen is too old: @NAME@ needs 3.11 or newer, and this file is for Python @PYTHON@. Debian 12 has 3.11." ;;
    *) refuse "this file is for Python @PYTHON@, and Python $seen is here. Take the file for it, or make one: make bundle PYTHON=python$seen" ;;
  esac
fi
"$python" -I -c 'import venv, zipfile, zlib, ctypes' 2>/dev/null ||
  refuse "this Python lacks parts of its standard library (venv among them). Install them: apt install python3-venv"

# Where to?
home=${HOME:-}
if [ -z "$folder" ]; then
  [ -n "$home" ] || refuse "HOME is not set; say where to install: --to FOLDER"
  folder=${XDG_DATA_HOME:-$home/.local/share}/@NAME@
fi
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
mark=made-by-the-bundle
[ ! -e "$folder" ] || [ -f "$folder/$mark" ] ||
  refuse "$folder is there already and holds something else; choose another with --to."
mkdir -p "$(dirname "$folder")" || refuse "$(dirname "$folder") cannot be made; choose another folder with --to."
free=$(df -Pk "$(dirname "$folder")" | tail -n 1 | awk '{print int($4 / 1024)}')
[ "$free" -ge @DISK@ ] || refuse "there are $free MB free where $folder is to be, and @DISK@ are needed."

# Install. What was there before comes back if anything fails.
earlier=$folder.earlier
tidy() {
  code=$?
  trap - EXIT
  if [ "$code" -ne 0 ]; then
    rm -rf "$folder"
    [ ! -e "$earlier" ] || mv "$earlier" "$folder"
    say "Nothing was installed." >&2
  fi
  exit "$code"
}
rm -rf "$earlier"
[ ! -e "$folder" ] || mv "$folder" "$earlier"
trap tidy EXIT
trap 'exit 130' INT TERM HUP
mkdir "$folder"
: > "$folder/$mark"
say "Installing @NAME@ @VERSION@ into $folder; this takes a minute or two."
mkdir "$folder/packages"
payload | tar -xf - -C "$folder/packages"
(cd "$folder/packages" && sha256sum --check --quiet SHA256SUMS) || refuse "a package is damaged; get this file again."
"$python" -I -m venv --without-pip "$folder/venv"
set -- "$folder"/packages/wheels/pip-*.whl
env -u PYTHONPATH -u PYTHONHOME PIP_CONFIG_FILE=/dev/null \
  "$folder/venv/bin/python" "$1/pip" --isolated install --quiet --no-index --no-cache-dir --disable-pip-version-check \
  --find-links "$folder/packages/wheels" "@REQUIREMENT@"
mv "$folder/packages/LICENCES.md" "$folder/packages/licences" "$folder/"
rm -rf "$folder/packages"

# How it is called, and how it goes away.
link=''
if [ -n "$home" ]; then
  link=$home/.local/bin/@NAME@
  if [ -e "$link" ] || [ -L "$link" ]; then
    case $(readlink "$link" || true) in "$folder"/*) ;; *) link='' ;; esac
  fi
fi
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }
{
  printf '#!/bin/sh\n# Removes @NAME@ and nothing else.\nset -eu\n'
  printf 'folder=%s\n' "$(quoted "$folder")"
  printf 'link=%s\n' "$(quoted "$link")"
  printf '[ -f "$folder/%s" ] || { echo "@NAME@ is not in $folder." >&2; exit 2; }\n' "$mark"
  printf 'if [ -n "$link" ] && [ "$(readlink "$link")" = "$folder/venv/bin/@NAME@" ]; then rm -f "$link"; fi\n'
  printf 'rm -rf "$folder"\necho "@NAME@ is removed. Files that you made with it are where you put them."\n'
} > "$folder/uninstall"
chmod +x "$folder/uninstall"
"$folder/venv/bin/@NAME@" --version >/dev/null || refuse "it was installed but does not start."
if [ -n "$link" ] && mkdir -p "$(dirname "$link")" 2>/dev/null && ln -sfn "$folder/venv/bin/@NAME@" "$link" 2>/dev/null; then
  program=$link
else
  program=$folder/venv/bin/@NAME@
fi
rm -rf "$earlier"
case :${PATH:-}: in
  *:"$(dirname "$program")":*) call=@NAME@ ;;
  *) call=$program ;;
esac
say "Done. Try:   $call --help"
say "The page:    $call serve"
say "Remove it:   $folder/uninstall"
exit 0
# --- the archive begins after this line ---
