/** Segments and words as the appliance sends them. Times are seconds from the start of the recording. */
export type Word = {
  /** With the space before it, if there is one: the words of a segment joined are its text. */
  word: string
  start: number
  end: number
  /** 0 to 1: how certain the model is. */
  probability: number
  /** A person wrote it. */
  edited?: boolean | undefined
}

export type Segment = {
  /** Does not change when texts are edited. */
  id: string
  /** Of its text; 0: as the machine wrote it. An edit names the revision that it was made from. */
  revision: number
  start: number
  end: number
  text: string
  /** The name that people see. */
  speaker?: string | undefined
  /** The stored speaker, such as "Speaker 1". */
  speakerLabel?: string | undefined
  channel?: number | undefined
  edited: boolean
  words: readonly Word[]
}

/** `total`: the segments of the whole transcript; `offset`: those before the page. `revision`: its last change; 0: none. */
export type SegmentPage = { total: number, offset: number, revision: number, segments: readonly Segment[] }
