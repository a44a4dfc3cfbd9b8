/** Completed transcriptions, written straight into the database of an appliance that does not run. */
import { parseRecordingName } from '../../dist/domain/recording-name.js'
import { createTransaction, openDatabase } from '../../dist/store/database.js'
import { createStores } from '../../dist/store/stores.js'

const HOUR_MS = 3_600_000
const SEGMENT_MS = 4000
const WORD_MS = 400
const WORDS = ['council', 'budget', 'the', 'of', 'harbour', 'and', 'vote', 'river', 'to', 'proposal', 'a', 'winter', 'school']

/** A word with its times, as a segment holds it. */
const makeWord = (index: number, startMs: number) =>
  ({ text: WORDS[index % WORDS.length] ?? '', startMs, endMs: startMs + WORD_MS - 20, probability: 0.9 })

function makeSegment (startMs: number) {
  const words = Array.from({ length: SEGMENT_MS / WORD_MS }, (_, index) => makeWord(startMs / WORD_MS + index, startMs + index * WORD_MS))
  return { startMs, endMs: startMs + SEGMENT_MS, text: words.map(({ text }) => text).join(' '), words }
}

/** Adds an hour of speech, 9,000 words, to the library of an owner; the id of its job. */
export function addHour (dataDir: string, owner: string): number {
  const db = openDatabase(dataDir)
  try {
    const { apiKeys, jobs, media, transcripts, work } = createStores(db)
    const fileName = parseRecordingName('hour.mp3')
    if (fileName === undefined) throw new Error('the name is a good one')
    return createTransaction(db)(() => {
      const ownerId = apiKeys.ensureOwner(owner, Date.now())
      const mediaId = media.insert({ ownerId, file: 'hour', sizeBytes: 1, sha256: '0'.repeat(64) }, Date.now())
      const jobId = jobs.insert({ ownerId, mediaId, fileName, options: { sttQuality: 'fast', language: 'en' }, now: Date.now() })
      jobs.begin(jobId, 'decode', Date.now())
      jobs.setDecoded(jobId, HOUR_MS, Date.now())
      for (let startMs = 0; startMs < HOUR_MS; startMs += SEGMENT_MS) {
        transcripts.insertWindow(jobId, startMs / SEGMENT_MS, [makeSegment(startMs)])
      }
      jobs.complete(jobId, Date.now())
      work.removeRun(jobId)
      return jobId
    })
  } finally {
    db.close()
  }
}
