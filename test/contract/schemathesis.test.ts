/**
 * Requests made by schemathesis (PyPI) from the document, with all its checks, find no server error, and nothing that is not explained
 * here. Opt-in: STENOBOX_TEST_SCHEMATHESIS is the path of the program.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import t from 'tap'
import { PASSWORD, SESSION } from '../support/admin.ts'
import { startServer } from '../support/program.ts'

const PROGRAM = process.env['STENOBOX_TEST_SCHEMATHESIS'] ?? ''
const WHY_NOT = existsSync(PROGRAM) ? false : 'set STENOBOX_TEST_SCHEMATHESIS to the path of schemathesis'
/** Requests for each operation and phase. */
const EXAMPLES = '10'

/** Reports that are no faults, and why. */
const EXPLAINED: ReadonlyArray<[reason: string, report: RegExp]> = [
  ['a receiver that cannot be reached is 502 for the caller who asked for the request', /^ST101 .*"code":"receiver_failed"/s],
  [
    'rules that no schema states: addresses, cursors, terms, ids of live keys, the exact length of a part',
    /^ST202 .*\[400\].*"code":"invalid_request"/s
  ],
  ['the same Idempotency-Key was generated for two requests', /^ST202 .*"code":"idempotency_mismatch"/s],
  ['a limit of the configuration, not of the interface', /^ST202 .*"code":"media_too_large"/s],
  ['depends on the state of the object', /^ST202 .*"code":"(not_completed|parts_missing|digest_mismatch|conflict|gone)"/s],
  ['schemathesis leaves out the cookie that this test adds to every request', /^ST201 .*Missing `stenobox_admin` at cookie/s]
]

/** The reports in its output: the operation, and the text from the code of the check on. */
function listReports (output: string): Array<{ operation: string, text: string }> {
  const [, ...sections] = output.split(/^_+ ((?:[A-Z]+) \/\S*) _+$/m)
  return sections.flatMap((operation, index) => index % 2 === 1
    ? []
    : (sections[index + 1] ?? '').split(/^- (?=ST\d+)/m).slice(1).map((text) => ({ operation, text })))
}

/** A cookie of the administrator. */
async function logIn (address: string): Promise<string> {
  const reply = await fetch(address + SESSION, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password: PASSWORD })
  })
  return reply.headers.get('set-cookie')?.split(';')[0] ?? ''
}

t.test('schemathesis finds no server error and nothing unexplained', { skip: WHY_NOT, timeout: 1_200_000 }, async (t) => {
  const server = await startServer(t.testdir(), {
    STENOBOX_ADMIN_PASSWORD: PASSWORD, STENOBOX_OFFLINE: 'true', STENOBOX_MAX_MEDIA_BYTES: '10000000'
  })
  t.teardown(async () => await server.stop())
  const child = spawn(PROGRAM, [
    'run', `${server.origin}/api/v1/openapi.json`, '--checks', 'all', '--max-examples', EXAMPLES, '--request-timeout', '60',
    '--continue-on-failure', '--no-color', '--generation-database', 'none',
    // It never ends.
    '--exclude-operation-id', 'streamEvents',
    '-H', `Authorization: Bearer ${server.firstKey}`, '-H', `Cookie: ${await logIn(server.origin)}`
  ], { cwd: t.testdirName, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => { output += chunk })
  await once(child, 'close')
  t.match(output, /Tested: +\d+/)
  const reports = listReports(output)
  t.equal(reports.length, Number(/found (\d+) unique failures/.exec(output)?.[1] ?? 0), 'every report was read')
  for (const { operation, text } of reports) {
    const reason = EXPLAINED.find(([, report]) => report.test(text))?.[0]
    t.ok(reason, `${operation}: ${reason ?? text}`)
  }
  t.notMatch(server.log(), /"code":"internal_error"/)
})
