/** A transcribed conversation of two people, in the page. */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { AUDIO } from '../../support/paths.ts'
import { waitFor } from '../../support/wait.ts'
import { startPage } from './stage.ts'
import type { Stage } from './stage.ts'
import type { Settings } from '../../support/program.ts'

export type Recording = Stage & { id: number }

/** The page with a transcript of test/fixtures/audio/dialogue.mp3, made by the starter model. */
export async function startRecording (t: Test, settings: Settings = {}): Promise<Recording> {
  const stage = await startPage(t, { settings })
  const id = await stage.client.uploadFile(`${AUDIO}dialogue.mp3`, { language: 'en', options: { speakers: { exact: 2 } } })
  const { status } = await stage.client.ended(id)
  if (status !== 'completed') throw new Error(`the recording is ${status}`)
  return { ...stage, id }
}

/** The words of a segment, by its place. */
export const wordsOf = (page: Page, segment: number) => page.locator(`[data-words="${segment}"]`)
/** A word, counted over the rows on the page. */
export const spoken = (page: Page) => page.locator('[data-word][data-spoken]')

/** Opens a segment for editing, as a press on its button does. The field has the focus. */
export async function editSegment (page: Page, segment: number) {
  await page.locator(`[data-index="${segment}"] [data-edit]`).click()
  const field = page.locator(`[data-index="${segment}"] textarea`)
  await field.waitFor()
  return field
}

/** Waits until an expression is true in the page. Asked from here: the policy of the page refuses code that is made of text. */
export async function until (page: Page, expression: string): Promise<void> {
  await waitFor(expression, async () => Boolean(await page.evaluate(expression)), { everyMs: 50, stalledMs: 30_000 })
}

/** Notes the next time that the player shows, and returns how to wait for it. It plays on while a test looks. */
export async function noteFirstTime (page: Page): Promise<() => Promise<string>> {
  await page.evaluate(`(() => {
    globalThis.firstTime = undefined
    const time = document.querySelector('[data-testid=time]')
    const note = () => { globalThis.firstTime ??= time.textContent }
    new MutationObserver(note).observe(time, { subtree: true, childList: true, characterData: true })
  })()`)
  return async () => {
    await until(page, 'globalThis.firstTime !== undefined')
    return String(await page.evaluate('globalThis.firstTime'))
  }
}

/**
 * Notes the row in which a word is spoken first from now on, and when (`firstSpokenAt`, ms), and returns how to wait for it. It is noted in
 * the page: while a test looks, the sound plays on.
 */
export async function noteFirstSpoken (page: Page): Promise<() => Promise<string>> {
  await page.evaluate(`(() => {
    globalThis.firstSpoken = globalThis.firstSpokenAt = undefined
    const row = () => document.querySelector('[data-word][data-spoken]')?.closest('[data-index]')
    const note = () => {
      globalThis.firstSpoken ??= row()?.dataset.index
      if (globalThis.firstSpoken !== undefined) globalThis.firstSpokenAt ??= performance.now()
    }
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true })
  })()`)
  return async () => {
    await until(page, 'globalThis.firstSpoken !== undefined')
    return String(await page.evaluate('globalThis.firstSpoken'))
  }
}
