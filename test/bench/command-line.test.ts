import t from 'tap'
import { parseCommandLine } from '../../bench/index.ts'
import { chooseModels } from '../../bench/lib/models.ts'

t.test('options of the benchmarks', async (t) => {
  t.strictSame(parseCommandLine([]), { names: [], options: { repeat: 3, quick: false, language: 'detected', models: [], attacks: [] } })
  const line = [
    'speed', '--minutes', '7.5', '--language', 'given', '--model', 'base',
    '--model', 'small', '--quick', '--repeat', '5', '--json', 'x.json', 'silence', '--attack', 'gaps'
  ]
  t.strictSame(parseCommandLine(line), {
    names: ['speed', 'silence'],
    options: { repeat: 5, quick: true, language: 'given', models: ['base', 'small'], attacks: ['gaps'], minutes: 7.5, json: 'x.json' }
  })
})

t.test('options with impossible values are refused', async (t) => {
  for (const line of [
    ['--repeat', '0'], ['--minutes', '0'], ['--minutes', 'x'], ['--minutes', '2000'], ['--language', 'en'], ['--model', 'huge'],
    ['--attack', 'x'], ['--fast']
  ]) {
    t.throws(() => parseCommandLine(line), line.join(' '))
  }
})

t.test('models are those asked for, else those a benchmark has in mind', async (t) => {
  const named = (models: string[]): string[] => chooseModels({ models }, ['starter', 'base']).map(({ name }) => name)
  t.strictSame(named([]), ['starter', 'base'])
  t.strictSame(named(['small']), ['small'])
})
