/**
 * The program behind `parse-apart.ts`. Stdin: a line of JSON that says what follows (`Task`), then the text. Stdout: an `Answer`. When the
 * text needs more memory than this program may have, only this program ends.
 */
import { readFileSync } from 'node:fs'
import { JobFailure } from '../../domain/errors.js'
import { findNewestEpisode } from './feed-parser.js'
import type { Answer, Task } from './parse-apart.js'
import { parsePageInfo } from './page-info.js'

function answer (input: string): Answer {
  const end = input.indexOf('\n')
  const task = JSON.parse(input.slice(0, end)) as Task
  const text = input.slice(end + 1)
  try {
    return { value: task.kind === 'feed' ? findNewestEpisode(text, task.url) : parsePageInfo(text) }
  } catch (error) {
    if (error instanceof JobFailure) return { failure: { code: error.code, message: error.message } }
    // The message of another error may hold a part of the text, with keys in it.
    return { failure: { code: 'source_unsupported', message: `the ${task.kind} cannot be read` } }
  }
}

process.stdout.write(JSON.stringify(answer(readFileSync(0, 'utf8'))))
