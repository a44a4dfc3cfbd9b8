/** The sections of a Whisper ggml file besides the weights: mel filters and token bytes. */
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ModelError } from '../../domain/model-error.js'

/** Frequency bins of a frame of 400 samples. */
const BINS = 201
const RATE_HZ = 16_000
/** Text tokens that ggml files list. The special tokens after them have numbers but no bytes. */
const LISTED_TOKENS = 50_257
const END_OF_TEXT = '<|endoftext|>'
/** English-only Whisper has one text token fewer than multilingual Whisper. */
const ENGLISH_VOCABULARY = 51_864
const MAX_VOCABULARY_BYTES = 16 * 1024 * 1024

const int32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => bytes.writeInt32LE(value, 4 * index))
  return bytes
}

// ---------------------------------------------------------------- mel filters

/** Slaney's scale: linear below 1000 Hz, logarithmic above. */
const toHz = (mel: number): number => mel < 15 ? mel * 200 / 3 : 1000 * Math.exp(Math.log(6.4) / 27 * (mel - 15))
const HIGHEST_MEL = 15 + 27 * Math.log(RATE_HZ / 2 / 1000) / Math.log(6.4)

/** Triangular filters, each of area 1 (librosa's `filters.mel` with its defaults), row by row. */
function computeFilters (mels: number): Buffer {
  const edges = Array.from({ length: mels + 2 }, (_, index) => toHz(HIGHEST_MEL * index / (mels + 1)))
  const bytes = Buffer.alloc(4 * mels * BINS)
  for (let mel = 0; mel < mels; mel++) {
    const [low = 0, middle = 0, high = 0] = edges.slice(mel, mel + 3)
    for (let bin = 0; bin < BINS; bin++) {
      const hz = bin * RATE_HZ / 2 / (BINS - 1)
      const height = Math.max(0, Math.min((hz - low) / (middle - low), (high - hz) / (high - middle)))
      bytes.writeFloatLE(height * 2 / (high - low), 4 * (mel * BINS + bin))
    }
  }
  return bytes
}

/** The filters of a ggml file with 80 bands. Throws `ModelError`. */
async function readFilters (ggmlFile: string, mels: number): Promise<Buffer> {
  const handle = await open(ggmlFile, 'r')
  try {
    const bytes = Buffer.alloc(48 + 8 + 4 * mels * BINS)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
    if (bytesRead < bytes.length || bytes.readInt32LE(48) !== mels || bytes.readInt32LE(52) !== BINS) {
      throw new ModelError(
        `${ggmlFile} is damaged: it has no filters for ${mels} bands`
      )
    }
    return bytes.subarray(56)
  } finally {
    await handle.close()
  }
}

/**
 * The section of mel filters: the numbers of bands and bins, then the filters. Filters for 80 bands are copied from `ggmlFile`, so that
 * equal weights give equal files. Those for 128 bands are computed and differ in the last bit at most.
 */
export async function melSection (mels: number, ggmlFile: string): Promise<Buffer> {
  return Buffer.concat([int32(mels, BINS), mels === 80 ? await readFilters(ggmlFile, mels) : computeFilters(mels)])
}

// ---------------------------------------------------------------- tokens

/** GPT-2's text form of bytes: printable bytes stand for themselves, the others follow from U+0100 on. */
const BYTE_OF: ReadonlyMap<string, number> = (() => {
  const prints = (byte: number): boolean => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  const others = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !prints(byte))
  return new Map(Array.from({ length: 256 }, (_, byte) => [String.fromCodePoint(prints(byte) ? byte : 256 + others.indexOf(byte)), byte]))
})()

function toBytes (token: string): Buffer {
  if (token === END_OF_TEXT) return Buffer.from(token)
  return Buffer.from([...token].map((character) => {
    const byte = BYTE_OF.get(character)
    if (byte === undefined) {
      throw new ModelError(
        `the vocabulary has the token ${JSON.stringify(token)}, which is not in GPT-2's form`
      )
    }
    return byte
  }))
}

async function readIfThere (path: string): Promise<string | undefined> {
  const size = await stat(path).then((facts) => facts.size, () => undefined)
  if (size === undefined) return undefined
  if (size > MAX_VOCABULARY_BYTES) throw new ModelError(`${path} is too large for a vocabulary`)
  return await readFile(path, 'utf8')
}

function parseTokens (path: string, text: string): string[] {
  if (path.endsWith('.txt')) return text.split('\n')
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed) && parsed.every((token) => typeof token === 'string')) return parsed
  } catch {
    // Reported below, like JSON of another kind.
  }
  throw new ModelError(`${path} is not a list of tokens`)
}

/**
 * The section of tokens: their number, then each token, from `vocabulary.json` or `vocabulary.txt` of a CTranslate2 folder. Throws
 * `ModelError`.
 */
export async function tokenSection (folder: string, vocabulary: number): Promise<Buffer> {
  for (const name of ['vocabulary.json', 'vocabulary.txt']) {
    const path = join(folder, name)
    const text = await readIfThere(path)
    if (text === undefined) continue
    const tokens = parseTokens(path, text)
    const endOfText = vocabulary === ENGLISH_VOCABULARY ? LISTED_TOKENS - 1 : LISTED_TOKENS
    if (tokens[endOfText] !== END_OF_TEXT) {
      throw new ModelError(
        `${path} is not the vocabulary of Whisper: token ${endOfText} is not ${END_OF_TEXT}`
      )
    }
    const listed = tokens.slice(0, LISTED_TOKENS).map(toBytes)
    return Buffer.concat([int32(LISTED_TOKENS), ...listed.flatMap((bytes) => [int32(bytes.length), bytes])])
  }
  throw new ModelError(`${folder} has neither vocabulary.json nor vocabulary.txt, so the tokens of the model are not known`)
}
