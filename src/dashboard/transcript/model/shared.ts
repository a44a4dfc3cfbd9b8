/** A shared transcript: the segments of the json export, which have no ids of their own and no revisions. Pure. */
import type { Segment, Word } from './segment.ts'

type SharedSegment = { start: number, end: number, text: string, speaker?: string | undefined, words: readonly Word[] }
export type SharedTranscript = {
  title: string, language?: string | undefined, durationSeconds: number, expiresAt: string, segments: readonly SharedSegment[]
}

export const toSegments = (shared: readonly SharedSegment[]): Segment[] => shared.map(({ start, end, text, speaker, words }, index) =>
  ({ id: String(index), revision: 0, start, end, text, speaker, edited: false, words }))
