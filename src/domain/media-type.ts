/** What a file is, by its first bytes: the content type with which browsers get it. Pure. */

/** Bytes that must be read to tell. */
export const MEDIA_HEAD_BYTES = 4096
const UNKNOWN = 'application/octet-stream'

const latin1 = (head: Uint8Array, start: number, end: number): string => String.fromCharCode(...head.subarray(start, end))

/** Files that begin with these characters. `at`: where they are. */
const MAGIC: ReadonlyArray<{ at: number, text: string, type: string }> = [
  { at: 8, text: 'WAVE', type: 'audio/wav' },
  { at: 8, text: 'AVI ', type: 'video/x-msvideo' },
  { at: 8, text: 'AIFF', type: 'audio/aiff' },
  { at: 8, text: 'AIFC', type: 'audio/aiff' },
  { at: 0, text: 'fLaC', type: 'audio/flac' },
  { at: 0, text: 'ID3', type: 'audio/mpeg' },
  { at: 0, text: '#!AMR', type: 'audio/amr' },
  { at: 0, text: 'caff', type: 'audio/x-caf' },
  { at: 0, text: '.snd', type: 'audio/basic' },
  { at: 0, text: 'FLV', type: 'video/x-flv' },
  { at: 0, text: '\x30\x26\xb2\x75\x8e\x66\xcf\x11', type: 'video/x-ms-asf' },
  { at: 0, text: '\x00\x00\x01\xba', type: 'video/mpeg' }
]

/** Every type that `mediaTypeOf` returns. */
export const MEDIA_TYPES: readonly string[] = [...new Set([
  ...MAGIC.map(({ type }) => type), 'audio/aac', 'audio/mp4', 'audio/ogg', 'video/mp2t', 'video/mp4', 'video/ogg', 'video/quicktime',
  'video/webm', 'video/x-matroska', UNKNOWN
])]

function isoType (brand: string): string {
  if (brand.startsWith('M4A') || brand.startsWith('M4B')) return 'audio/mp4'
  return brand === 'qt  ' ? 'video/quicktime' : 'video/mp4'
}

/** The second byte of an MPEG audio frame tells its layer. */
function frameType ([first = 0, second = 0]: Uint8Array): string | undefined {
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  return (second & 0xf6) === 0xf0 ? 'audio/aac' : 'audio/mpeg'
}

/** A content type that no browser takes for a page, whatever is in the file. */
export function mediaTypeOf (head: Uint8Array): string {
  if (latin1(head, 4, 8) === 'ftyp') return isoType(latin1(head, 8, 12))
  if (latin1(head, 0, 4) === 'OggS') return latin1(head, 0, 512).includes('theora') ? 'video/ogg' : 'audio/ogg'
  if (latin1(head, 0, 4) === '\x1a\x45\xdf\xa3') return latin1(head, 0, 64).includes('webm') ? 'video/webm' : 'video/x-matroska'
  const found = MAGIC.find(({ at, text }) => latin1(head, at, at + text.length) === text)
  if (found) return found.type
  if (head[0] === 0x47 && head[188] === 0x47) return 'video/mp2t'
  return frameType(head) ?? UNKNOWN
}
