#!/bin/sh
# Checks every file of this bundle, and installs the image and the models with podman or docker.
#
#   ./install.sh [--check] [--key OWNER.pub] [--engine podman|docker]
#
# --check: only check. --key: also demand that SHA256SUMS is signed with this key of OpenSSH. Nothing is changed unless every file is as it
# was when the bundle was made.
set -eu

faults=0
fault () {
  echo "install.sh: $*" >&2
  faults=$((faults + 1))
}
stop () {
  echo "install.sh: $*" >&2
  exit 1
}

check_signature () {
  if [ -n "$key" ]; then
    [ -f "$key" ] || stop "there is no key $key"
    command -v ssh-keygen > /dev/null || stop 'ssh-keygen is needed to check the signature; install openssh-client'
    [ -f SHA256SUMS.sig ] || stop 'SHA256SUMS.sig is missing: this bundle is not signed'
    signers=$(mktemp)
    printf 'owner %s\n' "$(cat "$key")" > "$signers"
    ssh-keygen -q -Y verify -f "$signers" -I owner -n stenobox -s SHA256SUMS.sig < SHA256SUMS > /dev/null 2>&1 ||
      fault "SHA256SUMS.sig is not the signature of $key for SHA256SUMS"
    rm -f "$signers"
  elif [ -f SHA256SUMS.sig ]; then
    if command -v ssh-keygen > /dev/null; then
      ssh-keygen -q -Y check-novalidate -n stenobox -s SHA256SUMS.sig < SHA256SUMS > /dev/null 2>&1 ||
        fault 'SHA256SUMS.sig does not fit SHA256SUMS'
    fi
    echo 'install.sh: the signer is not checked; to check it, add --key OWNER.pub' >&2
  fi
}

check_line () {
  sum=${1%%  *}
  path=${1#*  }
  case "$sum" in
    *[!0-9a-f]*|'') fault "SHA256SUMS line $2 is damaged: $1"; return ;;
  esac
  case "/$path/" in
    */../*|//*) fault "SHA256SUMS line $2 is damaged: $1"; return ;;
  esac
  if [ ! -f "$path" ] || [ -h "$path" ]; then
    fault "SHA256SUMS line $2: $path is missing"
  elif found=$(sha256sum < "$path") && [ "${found%% *}" != "$sum" ]; then
    fault "SHA256SUMS line $2: $path is not the file that was bundled"
  fi
}

check_files () {
  number=0
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    check_line "$line" "$number"
  done < SHA256SUMS
  find . ! -type d ! -path ./SHA256SUMS ! -path ./SHA256SUMS.sig | sed 's#^\./##' | LC_ALL=C sort > "$lists/here"
  sed 's/^[^ ]*  //' SHA256SUMS | LC_ALL=C sort > "$lists/listed"
  LC_ALL=C comm -23 "$lists/here" "$lists/listed" > "$lists/more"
  while IFS= read -r path; do fault "$path is not in SHA256SUMS"; done < "$lists/more"
}

find_engine () {
  for candidate in $engine; do
    if command -v "$candidate" > /dev/null; then
      engine=$candidate
      return
    fi
  done
  stop "there is none of these programs: $engine"
}

install_all () {
  find_engine
  image=localhost/stenobox:$(cat VERSION)
  loaded=$("$engine" load -q -i stenobox.oci.tar | sed -n 's/^Loaded image[^:]*: *//p' | tail -n 1)
  [ -n "$loaded" ] || stop "$engine did not load the image"
  "$engine" tag "$loaded" "$image"
  for volume in stenobox-data stenobox-models; do
    "$engine" volume inspect "$volume" > /dev/null 2>&1 || "$engine" volume create "$volume" > /dev/null
  done
  tar -C models -cf - . |
    "$engine" run --rm -i --network none -v stenobox-models:/models --entrypoint tar "$image" -C /models -xf - --no-same-owner
  cat <<END
Installed $image and its models. To start it:

  $engine run -d --name stenobox --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \\
    -p 127.0.0.1:8080:8080 -v stenobox-data:/data -v stenobox-models:/models -e STENOBOX_OFFLINE=true $image
  $engine logs stenobox      # shows the first API key, once
END
}

main () {
  check=no key='' engine='podman docker'
  while [ $# -gt 0 ]; do
    case "$1" in
      --check) check=yes ;;
      --key) [ $# -gt 1 ] || stop '--key needs a file'; key=$(realpath "$2"); shift ;;
      --engine) [ $# -gt 1 ] || stop '--engine needs a program'; engine=$2; shift ;;
      *) stop "unknown option $1; options are --check, --key OWNER.pub and --engine podman|docker" ;;
    esac
    shift
  done
  cd "$(dirname "$0")"
  [ -f SHA256SUMS ] || stop 'SHA256SUMS is missing'
  lists=$(mktemp -d)
  trap 'rm -rf "$lists"' EXIT
  check_signature
  check_files
  [ "$faults" -eq 0 ] || stop "$faults faults; nothing was installed"
  echo "install.sh: all $number files are as they were bundled"
  [ "$check" = yes ] || install_all
}

# At the end, so that nothing runs before the whole file has been read.
main "$@"
