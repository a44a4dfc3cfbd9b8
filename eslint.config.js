import neostandard from 'neostandard'
import { builtinRules } from 'eslint/use-at-your-own-risk'

/** Modules of Node that the code may be tempted to import without the prefix. */
const BUILTINS = [
  'assert', 'buffer', 'child_process', 'crypto', 'dns', 'events', 'fs', 'http', 'https', 'module', 'net', 'os', 'path',
  'perf_hooks', 'process', 'readline', 'stream', 'timers', 'tls', 'url', 'util', 'v8', 'vm', 'worker_threads', 'zlib'
]

const lines = (max) => ({ max, skipBlankLines: false, skipComments: false })

/** ESLint gives a rule one severity; the soft and the hard limit of a file's length are two rules over the same code. */
const limits = { rules: { 'max-lines': builtinRules.get('max-lines') } }

export default [
  ...neostandard({
    ts: true,
    ignores: ['node_modules/', 'dist/', 'build/', 'data/', '.tap/', 'tap-snapshots/', 'src/native/**/*.d.ts', 'src/dashboard/api/schema.ts']
  }),
  {
    plugins: { hard: limits },
    rules: {
      'max-lines': ['warn', lines(300)],
      'hard/max-lines': ['error', lines(500)],
      'no-console': 'error',
      'max-len': ['error', { code: 140, ignoreUrls: true }]
    }
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      // A schema and its type share one name; tables of codes read best several to a line.
      '@typescript-eslint/no-redeclare': 'off',
      '@stylistic/object-property-newline': 'off',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        { selector: 'ClassDeclaration:not([superClass.name=/Error$/])', message: 'Classes only for errors; use a createX closure.' }
      ],
      'no-restricted-imports': ['error', { patterns: [{ regex: `^(${BUILTINS.join('|')})(/|$)`, message: 'Write the node: prefix.' }] }]
    }
  },
  { files: ['src/cli/**', 'scripts/**', 'bench/**', 'test/fixtures/client/**'], rules: { 'no-console': 'off' } }
]
