import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import t from 'tap'
import { isLoop } from '../../dist/domain/loops.js'
import { AUDIO } from '../support/paths.ts'

const loops = (text: string): boolean => isLoop(text, deflateRawSync(text).length)

t.test('what the decoder says when it has lost the sound is a loop', async (t) => {
  t.ok(loops('Thank you. '.repeat(12)))
  t.ok(loops('you you you you you you you you'))
  t.ok(loops('So I went home and then I think that I think that I think that I think that I saw him.'))
  t.ok(loops('and the people of the city came and the people of the city came and the people of the city came'))
  t.ok(loops('谢谢大家谢谢大家谢谢大家谢谢大家'))
  t.ok(loops('Untertitel der Amara.org-Community '.repeat(5)))
  t.ok(loops('La la lo, la la lo, la la lo, la la lo'), 'marks between do not hide it')
})

t.test('what people say is not', async (t) => {
  t.notOk(loops(''))
  t.notOk(loops('No, no, no, no, no.'))
  t.notOk(loops('Very, very, very good. Very, very good.'))
  t.notOk(loops('One, two, three, four. One, two, three, four. One, two, three, four.'.replaceAll('four. One', 'four and one')))
  t.notOk(loops('好好好，可以可以可以'))
  for (const name of ['talk', 'dialogue', 'es-1', 'de-1']) {
    const text = readFileSync(`${AUDIO}${name}.txt`, 'utf8')
    for (let at = 0; at < text.length; at += 400) t.notOk(loops(text.slice(at, at + 600)), `${name} from ${at}`)
  }
})
