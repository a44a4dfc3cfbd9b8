/** Names that people give: to speakers, transcriptions, tags. Pure. */
import { toRecordingName } from './recording-name.js'
import type { RecordingName } from './recording-name.js'

/** Invisible characters: of zero width, marks of direction, tags, fillers. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}|\u034f|[\u115f\u1160\u3164\uffa0]/gu
/** Joiners change how letters and emoji are drawn. Elsewhere they are invisible. */
const LOOSE_JOINERS =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}\p{Extended_Pictographic}])/gu

/** A name on one line without invisible characters, cut to 255 characters. Undefined when nothing is left. */
export const toVisibleName = (text: string): RecordingName | undefined =>
  toRecordingName(toRecordingName(text)?.replace(INVISIBLE, '').replace(LOOSE_JOINERS, ''))
