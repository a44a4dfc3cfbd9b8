/** Makes the title of an artifact from the name of its recording. Pure. */
import { toLine } from './text-words.js'

const EXTENSION = /\.[a-z0-9]{2,4}$/i

/** A file name as people would write a title: without extension, underscores and hyphens. */
export function toTitle (fileName: string): string {
  const name = toLine(fileName.replace(EXTENSION, '').replace(/[_]+/g, ' ').replace(/(?<=\p{L})-(?=\p{L})/gu, ' '))
  return name === '' ? toLine(fileName) : name
}
