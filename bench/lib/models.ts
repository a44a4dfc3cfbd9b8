/** Models to choose from with `--model`: real weights, and shapes of larger ones. */
import { findMetronomeModel } from './metronome-model.ts'
import { STARTER_WEIGHTS } from './paths.ts'
import type { BenchOptions } from './report.ts'

export type BenchModel = {
  name: string
  title: string
  /** Path of the file; a shape is made by the first call. */
  findWeights: () => string
}

export const BENCH_MODELS: readonly BenchModel[] = [
  { name: 'starter', title: 'starter', findWeights: () => STARTER_WEIGHTS },
  { name: 'base', title: 'base shape', findWeights: () => findMetronomeModel('base') },
  { name: 'small', title: 'small shape', findWeights: () => findMetronomeModel('small') }
]

/** Those of the names that were asked for; of all when none was. */
export function chooseModels ({ models }: Pick<BenchOptions, 'models'>, names: readonly string[]): BenchModel[] {
  return BENCH_MODELS.filter(({ name }) => models.length > 0 ? models.includes(name) : names.includes(name))
}
