#!/bin/sh
# Builds ffmpeg and ffprobe from Debian's source package, with security fixes, into $1/bin: only what decoding sound needs. Debian's own
# package brings almost 700 MB of libraries for video and devices. Without --enable-gpl the result is under the LGPL 2.1.
# src/engine/media/ffmpeg.ts has the containers that may be opened.
set -eu

DEMUXERS='aac ac3 aiff amr amrnb amrwb ape asf au avi caf dsf dts dtshd dv eac3 flac flv gsm loas matroska mov mp3 mpc mpc8 mpegps mpegts
  mxf nut ogg oma rm sln spdif tta voc w64 wav wv xwma'
# A transport stream that does not name its codecs is probed with these.
PROBES='h264 hevc m4v mpegvideo'
# `stenobox evaluate` puts samples together. Recordings of users cannot be read as this: src/engine/media/ffmpeg.ts does not allow it.
SAMPLES='pcm_s16le'
DECODERS='aac aac_latm ac3 adpcm_* alac als amrnb amrwb ape atrac1 atrac3 atrac3al atrac3p atrac3pal comfortnoise cook dca dsd_* dss_sp dst
  eac3 evrc flac g723_1 g729 gsm gsm_ms iac ilbc imc mace3 mace6 metasound mlp mp1 mp1float mp2 mp2float mp3 mp3adu mp3adufloat mp3float
  mp3on4 mp3on4float mpc7 mpc8 nellymoser on2avc opus pcm_* qcelp qdm2 qdmc ra_144 ra_288 ralf s302m sbc shorten sipr siren sonic speex
  tak truehd truespeech tta twinvq vorbis wavpack wmalossless wmapro wmav1 wmav2 wmavoice xma1 xma2'

# Both forms of apt's list of sources.
sed -i 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/*.sources 2>/dev/null || true
if [ -f /etc/apt/sources.list ]; then
  sed -n 's/^deb /deb-src /p' /etc/apt/sources.list > /etc/apt/sources.list.d/source-packages.list
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends dpkg-dev gcc libc6-dev make nasm zlib1g-dev > /dev/null
mkdir -p /tmp/ffmpeg
cd /tmp/ffmpeg
apt-get source -qq --only-source ffmpeg > /dev/null
cd ffmpeg-*/

set -f
options=''
for name in $DEMUXERS $PROBES $SAMPLES; do options="$options --enable-demuxer=$name"; done
for name in $DECODERS; do options="$options --enable-decoder=$name"; done
# shellcheck disable=SC2086 # one option per word
./configure --prefix="$1" --disable-everything --disable-autodetect --enable-zlib --disable-network --disable-doc --disable-debug \
  --disable-ffplay --disable-avdevice --disable-swscale $options --enable-parsers --enable-protocol=file,pipe \
  --enable-filter=aresample,aformat,anull,atrim,format,null,trim --enable-bsf=null --enable-encoder=pcm_s16le \
  --enable-muxer=pcm_s16le,wav > configure.log 2>&1 || { tail -n 30 configure.log; exit 1; }
make -s -j "$(nproc)" > make.log 2>&1 || { tail -n 30 make.log; exit 1; }
make -s install-progs > /dev/null
strip "$1/bin/ffmpeg" "$1/bin/ffprobe"
"$1/bin/ffmpeg" -version | head -n 1
mkdir -p "$1/share/doc/ffmpeg"
cp debian/copyright COPYING.LGPLv2.1 "$1/share/doc/ffmpeg/"
dpkg-parsechangelog --show-field Version > "$1/share/doc/ffmpeg/version"
