/** Lists in the fixed texts of artifacts. */
import t from 'tap'
import { joinList, phrasesFor } from '../../dist/domain/artifact-phrases.js'

t.test('the last two entries have the word of the language between them', async (t) => {
  t.equal(joinList(['bread', 'salt', 'soup'], phrasesFor('en')), 'bread, salt and soup')
  t.equal(joinList(['Brot', 'Salz'], phrasesFor('de')), 'Brot und Salz')
  t.equal(joinList(['パン', '塩'], phrasesFor('ja')), 'パン、塩')
})

t.test('in Spanish, "y" is "e" before the sound i', async (t) => {
  const join = (last: string): string => joinList(['agua', last], phrasesFor('es'))
  t.equal(join('sal'), 'agua y sal')
  t.equal(join('ideas'), 'agua e ideas')
  t.equal(join('Índices'), 'agua e Índices')
  t.equal(join('historia'), 'agua e historia')
  t.equal(join('hielo'), 'agua y hielo')
})

t.test('entries that are lists themselves have semicolons between them', async (t) => {
  t.equal(joinList(['bread and salt', 'soup'], phrasesFor('en')), 'bread and salt; soup')
})
