/** The option `speakers`: what callers may ask for, and the sentence for what they may not. */
import t from 'tap'
import { parseSpeakers } from '../../dist/domain/speaker-options.js'
import type { SpeakersOption } from '../../dist/domain/speaker-options.js'

t.test('what is known of the number of speakers', async (t) => {
  const cases: Array<[SpeakersOption | undefined, ReturnType<typeof parseSpeakers>]> = [
    [undefined, undefined], [false, false], [true, {}], [{}, {}], [{ min: 2 }, { min: 2 }], [{ max: 4 }, { max: 4 }],
    [{ min: 2, max: 2 }, { min: 2, max: 2 }], [{ exact: 3 }, { min: 3, max: 3 }], [{ max: 40 }, { max: 40 }]
  ]
  for (const [option, expected] of cases) t.strictSame(parseSpeakers(option, 'speakers'), expected, JSON.stringify(option))
})

t.test('what is refused, with the field', async (t) => {
  const cases: Array<[SpeakersOption, RegExp]> = [
    [{ exact: 2, min: 1 }, /^options\.speakers: exact cannot be combined with min or max$/],
    [{ exact: 2, max: 3 }, /exact cannot be combined/],
    [{ min: 3, max: 2 }, /^options\.speakers: min must not be greater than max$/],
    [{ min: 0 }, /^options\.speakers\.min: must be a whole number from 1 to 40$/],
    [{ max: 41 }, /^options\.speakers\.max: must be/],
    [{ exact: 1.5 }, /^options\.speakers\.exact: must be/]
  ]
  for (const [option, message] of cases) {
    t.throws(() => parseSpeakers(option, 'options.speakers'), { code: 'invalid_request', message }, JSON.stringify(option))
  }
})
