/** Ranges, WAV views, content types and peaks: what players ask for. */
import fc from 'fast-check'
import t from 'tap'
import { matchesEtag, parseByteRange } from '../../dist/domain/byte-range.js'
import { mediaTypeOf, MEDIA_TYPES } from '../../dist/domain/media-type.js'
import { createPeakMeter, MAX_PEAKS } from '../../dist/domain/peaks.js'
import { planWav, wavBytes, wavHeader } from '../../dist/domain/wav-view.js'

t.test('ranges of RFC 9110', async (t) => {
  const cases: Array<[string | undefined, ReturnType<typeof parseByteRange>]> = [
    ['bytes=0-', { start: 0, end: 1000 }], ['bytes=0-0', { start: 0, end: 1 }], ['bytes=500-9999', { start: 500, end: 1000 }],
    ['bytes=-1', { start: 999, end: 1000 }], ['bytes=-5000', { start: 0, end: 1000 }], ['BYTES = 1-2', undefined],
    ['Bytes=1-2', { start: 1, end: 3 }],
    ['bytes=1000-', 'none'], ['bytes=-0', 'none'], ['bytes=2-1', undefined], ['bytes=0-1,5-6', undefined], ['bytes=x', undefined],
    ['lines=0-1', undefined], [undefined, undefined], ['bytes=-', undefined], ['bytes=99999999999999999999-', undefined]
  ]
  for (const [header, range] of cases) t.strictSame(parseByteRange(header, 1000), range, header ?? 'no header')
  t.ok(matchesEtag('"a", W/"b"', '"b"'))
  t.notOk(matchesEtag('"a"', '"b"'))
  t.notOk(matchesEtag(undefined, '"b"'))
})

t.test('the parts of a WAV file, put together, are the file', async () => {
  fc.assert(fc.property(fc.nat(500), fc.array(fc.nat(1100), { maxLength: 6 }), (samples, cuts) => {
    const sound = Buffer.from(Array.from({ length: samples * 2 }, (_, index) => index % 251))
    const whole = Buffer.concat([wavHeader(samples), sound])
    const places = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
    const parts = places.slice(1).map((end, index) => {
      const { header, startSample, skipBytes, soundBytes } = planWav({ start: places[index]!, end })
      const from = startSample * 2 + skipBytes
      return Buffer.concat([wavHeader(samples).subarray(header.start, header.end), sound.subarray(from, from + soundBytes)])
    })
    return whole.length === wavBytes(samples) && Buffer.concat(parts).equals(whole)
  }))
})

t.test('content types', async (t) => {
  const head = (...parts: Array<string | number[]>): Uint8Array =>
    Buffer.concat(parts.map((part) => typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)))
  const cases: Array<[Uint8Array, string]> = [
    [head('RIFF', [0, 0, 0, 0], 'WAVE'), 'audio/wav'], [head([0, 0, 0, 32], 'ftypM4A '), 'audio/mp4'],
    [head([0, 0, 0, 32], 'ftypisom'), 'video/mp4'], [head('ID3'), 'audio/mpeg'], [head([0xff, 0xfb]), 'audio/mpeg'],
    [head([0xff, 0xf1]), 'audio/aac'], [head('OggS', [0], 'OpusHead'), 'audio/ogg'],
    [head([0x1a, 0x45, 0xdf, 0xa3], '\x42\x82webm'), 'video/webm'],
    [head('#!AMR\n'), 'audio/amr'], [head('<html><script>'), 'application/octet-stream'], [head(), 'application/octet-stream']
  ]
  for (const [bytes, type] of cases) t.equal(mediaTypeOf(bytes), type)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => MEDIA_TYPES.includes(mediaTypeOf(bytes))))
})

t.test('peaks are the loudest samples of each stretch, however the sound arrives', async (t) => {
  const samples = new Int16Array(1000)
  samples[10] = 16_384
  samples[319] = -32_768
  samples[320] = 255
  samples[999] = -1000
  const bytes = new Uint8Array(samples.buffer)
  for (const size of [2, 6, 640, 2000]) {
    const meter = createPeakMeter()
    for (let at = 0; at < bytes.length; at += size) meter.add(bytes.subarray(at, at + size))
    t.strictSame(meter.read(), { perSecond: 50, amplitudes: Uint8Array.from([127, 0, 0, 3]) })
  }
  const stereo = createPeakMeter(2)
  stereo.add(bytes)
  t.strictSame(stereo.read(), { perSecond: 50, amplitudes: Uint8Array.from([127, 3]) })
})

t.test('a long recording has no more values than a short one', async (t) => {
  const meter = createPeakMeter()
  const minute = new Int16Array(16_000 * 60)
  minute[480_000] = 20_000
  const began = performance.now()
  for (let index = 0; index < 600; index++) meter.add(new Uint8Array(minute.buffer))
  t.comment(`ten hours took ${Math.round(performance.now() - began)} ms`)
  const { perSecond, amplitudes } = meter.read()
  t.ok(amplitudes.length > MAX_PEAKS / 2 && amplitudes.length <= MAX_PEAKS, `${amplitudes.length} values`)
  t.equal(Math.ceil(36_000 * perSecond), amplitudes.length)
  t.equal(amplitudes.filter((each) => each === 78).length, 600)
})
