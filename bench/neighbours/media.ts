/** Media files that are legal and unreasonable. */

/** The header of a WAV file of 8 channels of 16 bits at 384 kHz. */
export function wideSoundHeader (bytes: number): Buffer {
  const [channels, rateHz, sampleBytes] = [8, 384_000, 2]
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(bytes + 36, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(rateHz, 24)
  header.writeUInt32LE(rateHz * channels * sampleBytes, 28)
  header.writeUInt16LE(channels * sampleBytes, 32)
  header.writeUInt16LE(sampleBytes * 8, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes, 40)
  return header
}

type Box = { type: string, start: number, end: number }

/** The boxes of an MP4 file between two offsets (ISO 14496-12 section 4.2). */
function listBoxes (file: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = []
  for (let start = from; start < to; start = boxes.at(-1)?.end ?? to) {
    boxes.push({ type: file.toString('latin1', start + 4, start + 8), start, end: start + file.readUInt32BE(start) })
  }
  return boxes
}

/** An MP4 file whose one track stands in it `count` times, with its `moov` at the end. */
export function makeManyTracks (file: Buffer, count: number): Buffer {
  const top = listBoxes(file, 0, file.length)
  const moov = top.find(({ type }) => type === 'moov')
  if (!moov) throw new Error('the file has no moov')
  const inner = listBoxes(file, moov.start + 8, moov.end)
  const of = ({ start, end }: Box): Buffer => file.subarray(start, end)
  const tracks = Array.from({ length: count }, (_, index) => {
    const track = Buffer.from(of(inner.find(({ type }) => type === 'trak') ?? moov))
    // track_ID of the tkhd box, version 0: after the box header, version, flags and two times.
    track.writeUInt32BE(index + 1, 8 + 8 + 4 + 8)
    return track
  })
  const content = Buffer.concat([...inner.filter(({ type }) => type === 'mvhd').map(of), ...tracks])
  const header = Buffer.alloc(8)
  header.writeUInt32BE(content.length + 8)
  header.write('moov', 4)
  // Before it, everything stays where it is, so that the offsets of the samples stay true.
  return Buffer.concat([...top.filter(({ start }) => start < moov.start).map(of), header, content])
}
