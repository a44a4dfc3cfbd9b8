import t from 'tap'
import { cleanProse, cleanTitle, groundIn } from '../../../../dist/engine/text/llm/clean.js'
import { speakTexts } from '../../../support/language-model.ts'

const english = groundIn(speakTexts([
  'We planted three apple trees along the garden wall.', 'My grandmother said that the water in the river was always cold.'
]))
const german = groundIn(speakTexts([
  'Wir haben drei Apfelbäume an der Gartenmauer gepflanzt.', 'Das Wasser im Fluss war immer kalt.'
], 'de'))
const japanese = groundIn(speakTexts([
  '私たちは庭に三本のりんごの木を植えました。', '川の水はいつも冷たいです。'
], 'ja'))

t.test('prose is plain text on one line, with whole sentences', async (t) => {
  for (const [given, expected] of [
    ['They planted apple trees.', 'They planted apple trees.'],
    ['They planted apple trees', 'They planted apple trees.'],
    ['# The **garden** has `apple` trees.\nThe river\u0000 is cold.', 'The garden has apple trees. The river is cold.'],
    ['The [garden](http://evil.example) wall <b>is</b> along the river.', 'The garden wall is along the river.'],
    ['The gar\u202eden wall\u200b has trees\ufffd.', 'The garden wall has trees.'],
    ['The apple trees grow. Visit www.evil.example now! The water is cold.', 'The apple trees grow. The water is cold.'],
    ['The apple trees grow. The water in the ri', 'The apple trees grow.']
  ] as const) t.equal(cleanProse(given, 200, english), expected)
  t.equal(cleanProse('We planted the apple trees along the garden wall of the river.', 30, english), 'We planted the apple trees…')
})

t.test('words in quotation marks were said, or lose the marks', async (t) => {
  const [said, invented] = ['She said “the water in the river was always cold”.', 'She said “the water in the river tastes of trees”.']
  t.equal(cleanProse(said, 200, english), said)
  t.equal(cleanProse(invented, 200, english), 'She said the water in the river tastes of trees.')
})

t.test('text in another language, and nonsense, is dropped', async (t) => {
  t.equal(cleanProse('Wir haben Bäume gepflanzt und sind zufrieden.', 200, english), '')
  t.equal(cleanProse('They have planted some trees near their house.', 200, german), '')
  const own = 'Apfelbäume stehen an der Mauer, das Wasser ist kalt.'
  t.equal(cleanProse(own, 200, german), own)
  t.equal(cleanProse('庭にりんごの木を植えました', 200, japanese), '庭にりんごの木を植えました。')
  t.equal(cleanProse('They planted trees.', 200, japanese), '')
  for (const text of ['', '   ', '!!!', '=g E#ήбE', 'xq zz vv kk']) t.equal(cleanProse(text, 200, english), '')
})

t.test('titles have no full stop and no marks around them', async (t) => {
  t.equal(cleanTitle('"Apple trees in the garden."', 70, english), 'Apple trees in the garden')
  t.equal(cleanTitle('## The cold river:', 70, english), 'The cold river')
  t.equal(cleanTitle('Einleitung', 70, english), '')
  t.equal(cleanTitle('www.evil.com garden', 70, english), '')
})
