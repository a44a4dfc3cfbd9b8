/** Makes the transcript of a short recording as long as that of a day, straight in the database. */
import { MAX_PEAKS } from '../../../dist/domain/peaks.js'
import { createTransaction, openDatabase } from '../../../dist/store/database.js'
import { createPeakStore } from '../../../dist/store/peaks.js'
import { createTranscriptStore } from '../../../dist/store/transcripts.js'

const WORDS = ('the meeting starts at nine and everybody who wants to speak has two minutes before we vote on the budget of the ' +
  'next year because the hall is only ours until noon').split(' ')
/** Rows of these are higher: two lines. */
const LONG_WORDS = 'representatives nevertheless municipality responsibilities administration independently'.split(' ')
const WORDS_PER_SEGMENT = 10
/** From the start of a word to that of the next, as people talk. */
const WORD_MS = 360

/**
 * Replaces the text and the wave of a job by `count` words, ten to a segment, and returns how long they take, in seconds. The words of the
 * second half are longer.
 */
export function makeLong (dataDir: string, id: number, count: number, wordMs = WORD_MS): number {
  const db = openDatabase(dataDir)
  const transcripts = createTranscriptStore(db)
  createTransaction(db)(() => {
    transcripts.removeFrom(id, 0)
    for (let segment = 0; segment < count / WORDS_PER_SEGMENT; segment++) {
      const startMs = segment * WORDS_PER_SEGMENT * wordMs
      const used = segment * WORDS_PER_SEGMENT < count / 2 ? WORDS : LONG_WORDS
      const words = Array.from({ length: WORDS_PER_SEGMENT }, (_, place) => ({
        text: ` ${used[(segment * 7 + place) % used.length]}`,
        startMs: startMs + place * wordMs,
        endMs: startMs + place * wordMs + 300,
        probability: 0.9
      }))
      const text = words.map((word) => word.text).join('')
      const speaker = `Speaker ${1 + Math.floor(segment / 5) % 2}`
      transcripts.insertWindow(id, segment, [{ startMs, endMs: startMs + WORDS_PER_SEGMENT * wordMs, text, words, speaker }])
    }
    db.prepare('UPDATE job SET duration_ms = ? WHERE id = ?').run(count * wordMs, id)
    // As for a recording of that length: a value stands for some seconds. The second half is louder.
    const amplitudes = Uint8Array.from({ length: MAX_PEAKS }, (_, at) => at < MAX_PEAKS / 2 ? 30 : 110)
    createPeakStore(db).set(id, { perSecond: MAX_PEAKS / (count * wordMs / 1000), amplitudes })
  })
  db.close()
  return count * wordMs / 1000
}
