/** Runs on its own thread: makes artifacts without a language model. */
import { extract } from '../domain/extractive/extract.js'
import { serve } from './serve.js'
import type { ExtractInput, ExtractOutput } from './protocol.js'

export const extractArtifact = serve(({ mode, source }: ExtractInput): ExtractOutput => ({ draft: extract(mode, source) }))
