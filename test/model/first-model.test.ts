/** The models of a first start, with their real weights. Nothing is fetched: see `whyWithout`. */
import t from 'tap'
import { addon, decode, OPTIONS, toText, toWords } from '../support/native.ts'
import { AUDIO, NO_MODELS } from '../support/paths.ts'
import { runCommand } from '../support/program.ts'
import { findRealModel, REAL_MODELS, whyWithout } from '../support/real-models.ts'

for (const name of ['base', 'tiny.en']) {
  t.test(`${name} writes down what is said`, { skip: whyWithout(name) }, async (t) => {
    const model = findRealModel(name)
    if (!model) return
    const { alignmentHeads } = model.entry
    const native = addon.loadModel(model.path, { gpu: false, ...(alignmentHeads === undefined ? {} : { alignmentHeads }) })
    t.equal(native.info.multilingual, name === 'base')
    const state = native.createState()
    native.free()
    t.teardown(() => state.free())
    const transcript = state.transcribe(decode(`${AUDIO}en-1.wav`), { ...OPTIONS, beamSize: 1, bestOf: 1 })
    const words = toWords(toText(transcript))
    t.ok(['meeting', 'starts', 'nine'].filter((word) => words.includes(word)).length >= 2, toText(transcript))
    const times = transcript.segments.flatMap(({ tokens }) => tokens.map(({ dtwMs }) => dtwMs ?? -1))
    t.ok(times.every((ms) => ms >= 0), 'words are timed by its alignment heads')
  })
}

t.test('the program uses base by default, without a warning', { skip: whyWithout('base') }, async (t) => {
  const { code, stdout, stderr } = await runCommand(t.testdir(), ['transcribe', `${AUDIO}en-1.wav`, '--format', 'txt'], {
    STENOBOX_MODELS_DIR: REAL_MODELS
  })
  t.equal(code, 0, stderr)
  t.match(stdout, /meeting|nine/i)
})

t.test('without real weights the starter is used, even when other models are installed', async (t) => {
  const { stdout } = await runCommand(t.testdir(), ['doctor'], { STENOBOX_MODELS_DIR: NO_MODELS })
  t.match(stdout, /warn {2}qualities: fast: starter, balanced: starter, accurate: starter\. Only the starter model can be used/)
})
