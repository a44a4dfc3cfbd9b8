/** The native addon with a small Parakeet model that says a known text. */
import { writeFileSync } from 'node:fs'
import type { Test } from 'tap'
import type { NativeState } from '../../dist/native/addon.js'
import { addon } from './native.ts'
import { makeParakeet } from './parakeet-model.ts'
import type { Piece } from './parakeet-model.ts'
import { joinSound, noise, silence } from './sound.ts'

export const SCRIPT: readonly Piece[] = (
  [
    ['▁Good', 2],
    ['▁morn', 1],
    ['ing', 2],
    ['.', 1],
    ['▁It', 2],
    ['▁is', 3],
    ['▁1', 0],
    ['.5', 2],
    ['▁now', 4],
    ['▁an', 0],
    ['▁Ä', 1],
    ['▁yes', 2],
    ['!', 0],
    ['▁So', 4],
    ['?', 1]
  ] as const
).map(([text, steps]) => ({ text, steps }))

/** 1 s of noise, in which the script reaches "now", 1.5 s of silence, and 1.5 s of noise for the rest. */
export const SOUND = toPcm(joinSound(noise(1, 8000), silence(1.5), noise(1.5, 8000)))

export function toPcm (samples: Int16Array): Float32Array<ArrayBuffer> {
  return Float32Array.from(samples, (sample) => sample / 32768)
}

/** Writes a model into the test's folder and returns its path. */
export function writeParakeet (t: Test, options: Parameters<typeof makeParakeet>[1] = {}): string {
  const path = t.testdir() + '/parakeet.bin'
  writeFileSync(path, makeParakeet(SCRIPT, options).bytes)
  return path
}

/** A state that is freed with the test. */
export function openParakeet (t: Test, path: string): NativeState {
  const model = addon.loadModel(path, { gpu: false, kind: 'parakeet' })
  const state = model.createState()
  model.free()
  t.teardown(() => state.free())
  return state
}
