/** Who speaks when, as RTTM files of NIST's Rich Transcription tell it. Times in ms. */

export type LabelledSpan = { startMs: number, endMs: number, speaker: string }

/**
 * The spans of an RTTM file (`SPEAKER file channel start duration <NA> <NA> speaker …`, in seconds). Spans without a length are left out;
 * a speaker without a name is "unknown". Throws an Error that says what is wrong.
 */
export function parseLabelledRttm (content: string): LabelledSpan[] {
  return content.split(/\r?\n/).flatMap((line, index): LabelledSpan[] => {
    const [type, , , start, duration, , , speaker = 'unknown'] = line.trim().split(/\s+/)
    if (type !== 'SPEAKER') return []
    const [startMs, lengthMs] = [1000 * Number(start), 1000 * Number(duration)]
    if (!(startMs >= 0) || !(lengthMs >= 0)) throw new Error(`line ${index + 1} has no start and duration`)
    const span = { startMs: Math.round(startMs), endMs: Math.round(startMs + lengthMs), speaker }
    return span.endMs > span.startMs ? [span] : []
  })
}
