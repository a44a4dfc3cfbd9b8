#!/bin/sh
# Installs Debian's packages for building the image or for running it: packages.sh build|run off|cuda|vulkan
# Vulkan needs headers newer than those of Debian 12: build it on a base with Debian 13.
set -eu
case "$1-$2" in
  build-off) packages='cmake g++ libdnnl-dev make python3-pip' ;;
  build-cuda) packages='cmake g++ libdnnl-dev make nvidia-cuda-toolkit python3-pip' ;;
  build-vulkan) packages='cmake g++ glslc libdnnl-dev libvulkan-dev make python3-pip spirv-headers' ;;
  # A pattern, because the name of oneDNN's library has its version.
  run-off) packages='^libdnnl[0-9.]+$ ca-certificates libgomp1 python3 tini' ;;
  run-cuda) packages='^libdnnl[0-9.]+$ ^libcublas[0-9]+$ ^libcudart[0-9.]+$ ca-certificates libgomp1 python3 tini' ;;
  run-vulkan) packages='^libdnnl[0-9.]+$ ca-certificates libgomp1 libvulkan1 mesa-vulkan-drivers python3 tini' ;;
  *) echo 'Usage: packages.sh build|run off|cuda|vulkan' >&2; exit 1 ;;
esac
if [ "$2" = cuda ]; then
  sed -i 's/^Components: main$/Components: main contrib non-free/' /etc/apt/sources.list.d/*.sources 2>/dev/null || true
  if [ -f /etc/apt/sources.list ]; then sed -i 's/ main$/ main contrib non-free/' /etc/apt/sources.list; fi
fi
apt-get update -qq
# shellcheck disable=SC2086 # one package per word
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages > /dev/null
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig/aux-cache
