/** Paths used by tests. */
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export const CLI = ROOT + 'dist/cli/index.js'
export const AUDIO = ROOT + 'test/fixtures/audio/'
/** The labelled retrieval set. */
export const SEARCH_SET = ROOT + 'test/fixtures/search/'
export const TRANSCRIPTS = ROOT + 'test/fixtures/transcripts/'
export const STARTER_MODEL = ROOT + 'models/starter/ggml-starter-q5_0.bin'
/** A missing models directory: only the starter is found, whatever is installed on this machine. */
export const NO_MODELS = ROOT + 'test/fixtures/no-models'
