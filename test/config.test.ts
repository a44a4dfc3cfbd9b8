import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import t from 'tap'
import { ConfigError, readConfig } from '../dist/config.js'
import { parseNetwork } from '../dist/domain/client-address.js'

/** The lines of the error that this environment stops the boot with. */
function faultsOf (env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n')
  }
}

t.test('without any variable there are defaults', async (t) => {
  const workers = Math.min(availableParallelism(), 8)
  t.strictSame(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    publicUrl: undefined,
    trustedProxies: [],
    tls: undefined,
    sharing: false,
    metricsToken: undefined,
    auditLog: undefined,
    adminPassword: undefined,
    dataDir: resolve('data'),
    modelsDir: resolve('models'),
    modelsUrl: undefined,
    firstModel: 'auto',
    packageIndex: 'https://pypi.org/simple',
    proxy: { http: undefined, https: undefined, except: '' },
    offline: false,
    allow: { sources: [], webhooks: [], oauth: [], models: [] },
    oauth: undefined,
    ytDlp: undefined,
    evaluatePython: 'python3',
    searchPath: '',
    workers,
    threadsPerWorker: Math.max(1, Math.floor(availableParallelism() / workers)),
    llmThreads: Math.max(1, Math.floor(availableParallelism() / 2)),
    speakerEngine: 'auto',
    gpu: 'auto',
    logLevel: 'info',
    maxMediaBytes: 10 * 1024 ** 3,
    maxMediaSeconds: 24 * 3600,
    maxQueued: 10_000,
    minFreeBytes: 1024 ** 3,
    keepMedia: true,
    retentionDays: 0,
    transcriptRetentionDays: 0
  })
})

t.test('every variable is read', async (t) => {
  t.strictSame(
    readConfig({
      STENOBOX_HOST: '0.0.0.0',
      STENOBOX_PORT: '0',
      STENOBOX_PUBLIC_URL: 'https://example.org/steno//',
      STENOBOX_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      STENOBOX_TLS_CERTIFICATE: '/etc/tls/cert.pem',
      STENOBOX_TLS_KEY: '/etc/tls/key.pem',
      STENOBOX_SHARING: 'true',
      STENOBOX_METRICS_TOKEN: 'sixteen-letters!',
      STENOBOX_AUDIT_LOG: '/var/log/audit.jsonl',
      STENOBOX_ADMIN_PASSWORD: 'correct horse battery',
      STENOBOX_DATA_DIR: '/srv/data',
      STENOBOX_MODELS_DIR: 'weights',
      STENOBOX_MODELS_URL: 'https://mirror.example/hub/',
      STENOBOX_MODEL: 'tiny.en',
      PIP_INDEX_URL: 'https://wheels.example/simple/',
      STENOBOX_HTTP_PROXY: 'http://proxy.example:3128',
      STENOBOX_OFFLINE: 'true',
      STENOBOX_ALLOW_SOURCES: ' nas.local , *.Corp.example:8443,',
      STENOBOX_ALLOW_WEBHOOKS: 'hooks.local:9000',
      STENOBOX_ALLOW_OAUTH: 'login.local',
      STENOBOX_ALLOW_MODELS: 'hub.local',
      STENOBOX_OAUTH_ISSUER: 'https://login.local/',
      STENOBOX_OAUTH_AUDIENCE: 'steno',
      STENOBOX_OAUTH_OWNER_CLAIM: 'email',
      STENOBOX_OAUTH_CREATE_OWNERS: 'true',
      STENOBOX_OAUTH_CLIENT_ID: 'stenobox',
      STENOBOX_OAUTH_CLIENT_SECRET: 'between us',
      STENOBOX_OAUTH_CREATE_ACCOUNTS: 'true',
      STENOBOX_OAUTH_SERVER: 'false',
      STENOBOX_OAUTH_REGISTRATION: 'false',
      STENOBOX_YT_DLP: '/opt/yt-dlp',
      STENOBOX_EVALUATE_PYTHON: '/opt/python3',
      STENOBOX_WORKERS: '3',
      STENOBOX_THREADS_PER_WORKER: '2',
      STENOBOX_LLM_THREADS: '4',
      STENOBOX_SPEAKER_ENGINE: 'bundled',
      STENOBOX_GPU: 'off',
      STENOBOX_BUILD: 'portable',
      STENOBOX_LOG_LEVEL: 'silent',
      STENOBOX_MAX_MEDIA_BYTES: '1000',
      STENOBOX_MAX_MEDIA_SECONDS: '60',
      STENOBOX_MAX_QUEUED: '5',
      STENOBOX_MIN_FREE_BYTES: '0',
      STENOBOX_KEEP_MEDIA: 'false',
      STENOBOX_RETENTION_DAYS: '30',
      STENOBOX_TRANSCRIPT_RETENTION_DAYS: '90',
      PATH: '/bin'
    }),
    {
      host: '0.0.0.0',
      port: 0,
      publicUrl: 'https://example.org/steno',
      trustedProxies: [parseNetwork('10.0.0.0/8'), parseNetwork('::1')],
      tls: { certificatePath: '/etc/tls/cert.pem', keyPath: '/etc/tls/key.pem' },
      sharing: true,
      metricsToken: 'sixteen-letters!',
      auditLog: '/var/log/audit.jsonl',
      adminPassword: 'correct horse battery',
      dataDir: '/srv/data',
      modelsDir: resolve('weights'),
      modelsUrl: 'https://mirror.example/hub',
      firstModel: 'tiny.en',
      packageIndex: 'https://wheels.example/simple/',
      proxy: { http: 'http://proxy.example:3128', https: 'http://proxy.example:3128', except: '' },
      offline: true,
      allow: {
        sources: [{ name: 'nas.local' }, { suffix: '.corp.example', port: 8443 }],
        webhooks: [{ name: 'hooks.local', port: 9000 }],
        oauth: [{ name: 'login.local' }],
        models: [{ name: 'hub.local' }]
      },
      oauth: {
        issuer: 'https://login.local/',
        audiences: ['steno'],
        server: false,
        registration: false,
        ownerClaim: 'email',
        createOwners: true,
        signIn: {
          clientId: 'stenobox', clientSecret: 'between us', redirectUri: 'https://example.org/steno/sign-in/return', createAccounts: true
        }
      },
      ytDlp: '/opt/yt-dlp',
      evaluatePython: '/opt/python3',
      searchPath: '/bin',
      workers: 3,
      threadsPerWorker: 2,
      llmThreads: 4,
      speakerEngine: 'bundled',
      gpu: 'off',
      logLevel: 'silent',
      maxMediaBytes: 1000,
      maxMediaSeconds: 60,
      maxQueued: 5,
      minFreeBytes: 0,
      keepMedia: false,
      retentionDays: 30,
      transcriptRetentionDays: 90
    }
  )
})

t.test('a password of the administrator that is easily guessed stops the boot', (t) => {
  const fault = ['STENOBOX_ADMIN_PASSWORD: must be 12 to 256 characters long']
  for (const password of ['elevenchars', 'x'.repeat(257)]) t.strictSame(faultsOf({ STENOBOX_ADMIN_PASSWORD: password }), fault)
  t.equal(readConfig({ STENOBOX_ADMIN_PASSWORD: 'twelve chars' }).adminPassword, 'twelve chars')
  const folder = t.testdir({ password: 'from a file, trimmed\n', short: 'short\n' })
  t.equal(readConfig({ STENOBOX_ADMIN_PASSWORD_FILE: `${folder}/password` }).adminPassword, 'from a file, trimmed')
  t.strictSame(faultsOf({ STENOBOX_ADMIN_PASSWORD_FILE: `${folder}/short` }), fault)
  t.end()
})

t.test('an empty variable is one that is not set', async (t) => {
  t.strictSame(readConfig({ STENOBOX_PORT: '', STENOBOX_PUBLIC_URL: '', STENOBOX_GPU: '', STENOBOX_HOST_FILE: '' }), readConfig({}))
})

t.test('without a proxy of our own, the one that programs commonly read is used', async (t) => {
  const proxyOf = (env: NodeJS.ProcessEnv) => readConfig(env).proxy
  t.strictSame(proxyOf({ HTTPS_PROXY: 'http://a:1', http_proxy: 'b:2', NO_PROXY: 'intern, .example' }), {
    http: 'http://b:2',
    https: 'http://a:1',
    except: 'intern, .example'
  })
  t.strictSame(proxyOf({ HTTP_PROXY: 'http://b:2' }), { http: 'http://b:2', https: 'http://b:2', except: '' }, 'one for both')
  t.strictSame(
    proxyOf({ STENOBOX_HTTP_PROXY: 'http://own:3', HTTPS_PROXY: 'http://a:1', no_proxy: '*' }),
    { http: 'http://own:3', https: 'http://own:3', except: '' },
    'ours comes first'
  )
  t.strictSame(faultsOf({ STENOBOX_HTTP_PROXY: 'socks5://u:hunter2@a:1', STENOBOX_OFFLINE: 'yes' }), [
    'STENOBOX_HTTP_PROXY: must be an http or https address',
    'STENOBOX_OFFLINE: must be one of false, true'
  ])
})

t.test('every fault is named at once, with what is expected', async (t) => {
  t.strictSame(
    faultsOf({
      STENOBOX_PORT: '65536',
      STENOBOX_PUBLIC_URL: 'ftp://example.org',
      STENOBOX_WORKERS: '0',
      STENOBOX_GPU: 'maybe',
      STENOBOX_LOG_LEVEL: 'loud',
      STENOBOX_MAX_MEDIA_SECONDS: '1.5',
      STENOBOX_ALLOW_WEBHOOKS: '10.0.0.0/8,10.0.0.0/33, nas.local',
      STENOBOX_COLOUR: 'red'
    }),
    [
      'STENOBOX_COLOUR: unknown setting; docs/configuration.md has all settings',
      'STENOBOX_PORT: must be a whole number from 0 to 65535',
      'STENOBOX_PUBLIC_URL: must be an http or https address',
      'STENOBOX_ALLOW_WEBHOOKS: must be addresses, ranges like 10.0.0.0/8 and host names, with commas between; ' +
      '"10.0.0.0/33" is none of these',
      'STENOBOX_WORKERS: must be a whole number from 1 to 256',
      'STENOBOX_GPU: must be one of auto, off, cuda, vulkan',
      'STENOBOX_LOG_LEVEL: must be one of info, debug, warn, error, silent',
      'STENOBOX_MAX_MEDIA_SECONDS: must be a whole number from 1 to 604800'
    ]
  )
})

t.test('numbers are whole decimal numbers within their range', async (t) => {
  for (const text of ['-1', '+1', '1e3', '0x10', ' 80', '80 ', 'NaN', 'Infinity', '99999999999999999999', '８０']) {
    t.equal(faultsOf({ STENOBOX_PORT: text }).length, 1, JSON.stringify(text))
  }
  t.equal(readConfig({ STENOBOX_PORT: '65535' }).port, 65_535)
  t.equal(readConfig({ STENOBOX_MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) }).minFreeBytes, Number.MAX_SAFE_INTEGER)
})

t.test('the value may stand in a file', async (t) => {
  const dir = t.testdir({ port: '9090\n', host: '  ::1 \n', bad: 'many\n' })
  t.match(readConfig({ STENOBOX_PORT_FILE: `${dir}/port`, STENOBOX_HOST_FILE: `${dir}/host` }), { port: 9090, host: '::1' })
  t.strictSame(faultsOf({ STENOBOX_PORT_FILE: `${dir}/bad` }), ['STENOBOX_PORT: must be a whole number from 0 to 65535'])
})

t.test('a file that cannot be read, or a value given twice, is a fault', async (t) => {
  const dir = t.testdir({ port: '9090' })
  t.strictSame(faultsOf({ STENOBOX_PORT_FILE: `${dir}/missing`, STENOBOX_HOST_FILE: dir }), [
    'STENOBOX_HOST_FILE: the file cannot be read; check that it exists and that this user may read it',
    'STENOBOX_PORT_FILE: the file cannot be read; check that it exists and that this user may read it'
  ])
  t.strictSame(faultsOf({ STENOBOX_PORT_FILE: `${dir}/port`, STENOBOX_PORT: '1' }), [
    'STENOBOX_PORT and STENOBOX_PORT_FILE are both set; remove one'
  ])
})

t.test('an unknown name is a fault, also with _FILE; names of others are not ours', async (t) => {
  t.strictSame(faultsOf({ STENOBOX_PROT: '1', STENOBOX_TOKEN_FILE: '/x', STENOBOX_: '', stenobox_port: '1', OTHER_PORT: 'x' }), [
    'STENOBOX_PROT: unknown setting; docs/configuration.md has all settings',
    'STENOBOX_TOKEN_FILE: unknown setting; docs/configuration.md has all settings',
    'STENOBOX_: unknown setting; docs/configuration.md has all settings'
  ])
})

t.test('a fault does not show the value: it may be a secret', async (t) => {
  t.notMatch(faultsOf({ STENOBOX_PORT: 'hunter2', STENOBOX_PUBLIC_URL: 'hunter2' }).join(), /hunter2/)
})

t.test('the configuration cannot be changed', async (t) => {
  const config = readConfig({})
  t.ok(Object.isFrozen(config))
  t.throws(() => { (config as { port: number }).port = 1 }, TypeError)
})

t.test('without an argument, the environment of the process is read', async (t) => {
  t.teardown(() => { delete process.env['STENOBOX_PORT'] })
  process.env['STENOBOX_PORT'] = '12345'
  t.equal(readConfig().port, 12_345)
})

t.test('tokens of a provider: whose, for whom, of which owner', async (t) => {
  const issuer = 'https://id.example/realms/a/'
  t.match(readConfig({ STENOBOX_OAUTH_ISSUER: issuer, STENOBOX_PUBLIC_URL: 'https://steno.example/' }).oauth, {
    issuer,
    audiences: ['https://steno.example', 'https://steno.example/', 'https://steno.example/api/v1', 'https://steno.example/api/v1/'],
    ownerClaim: 'sub',
    createOwners: false,
    signIn: undefined
  })
  t.match(faultsOf({ STENOBOX_OAUTH_ISSUER: issuer }), [/^STENOBOX_OAUTH_AUDIENCE: set it to .* or set STENOBOX_PUBLIC_URL$/])
  for (const wrong of ['id.example', 'ftp://id.example', 'https://id.example/?a', 'https://id.example/#a']) {
    t.match(faultsOf({ STENOBOX_OAUTH_ISSUER: wrong }), [/^STENOBOX_OAUTH_ISSUER: must be the address of an issuer/], wrong)
  }
})

t.test('sign-in at a provider needs a safe issuer, a client id and secret, and an address to return to', async (t) => {
  const folder = t.testdir({ secret: 'between us\n' })
  const whole = {
    STENOBOX_OAUTH_ISSUER: 'https://id.example', STENOBOX_PUBLIC_URL: 'https://steno.example/', STENOBOX_OAUTH_CLIENT_ID: 'stenobox',
    STENOBOX_OAUTH_CLIENT_SECRET_FILE: `${folder}/secret`
  }
  t.strictSame(readConfig(whole).oauth?.signIn, {
    clientId: 'stenobox', clientSecret: 'between us', redirectUri: 'https://steno.example/sign-in/return', createAccounts: false
  })
  t.ok(readConfig({ ...whole, STENOBOX_OAUTH_ISSUER: 'http://127.0.0.1:9000' }).oauth?.signIn)
  const faults: Array<[NodeJS.ProcessEnv, RegExp]> = [
    [{ STENOBOX_OAUTH_ISSUER: '' }, /set STENOBOX_OAUTH_ISSUER$/],
    [{ STENOBOX_OAUTH_ISSUER: 'http://id.example' }, /must begin with https/],
    [{ STENOBOX_PUBLIC_URL: '', STENOBOX_OAUTH_AUDIENCE: 'steno' }, /set STENOBOX_PUBLIC_URL$/],
    [{ STENOBOX_OAUTH_CLIENT_SECRET_FILE: '' }, /set STENOBOX_OAUTH_CLIENT_SECRET$/],
    [{ STENOBOX_OAUTH_CLIENT_ID: '' }, /the id of the client is needed too$/],
    [
      { STENOBOX_OAUTH_CLIENT_ID: '', STENOBOX_OAUTH_CLIENT_SECRET_FILE: '', STENOBOX_OAUTH_CREATE_ACCOUNTS: 'true' },
      /STENOBOX_OAUTH_CREATE_ACCOUNTS is set/
    ]
  ]
  for (const [env, fault] of faults) t.match(faultsOf({ ...whole, ...env }), [fault])
})

t.test('our own authorization server has one address, and no password crosses a network readable', async (t) => {
  const own = (env: NodeJS.ProcessEnv) => readConfig({ STENOBOX_OAUTH_SERVER: 'true', ...env }).oauth
  const address = 'http://127.0.0.1:8080'
  t.strictSame(own({}), {
    issuer: address,
    audiences: [address],
    server: true,
    registration: false,
    ownerClaim: 'sub',
    createOwners: false,
    signIn: undefined
  })
  t.match(own({ STENOBOX_HOST: '::1', STENOBOX_OAUTH_REGISTRATION: 'true' }), { issuer: 'http://[::1]:8080', registration: true })
  t.match(own({ STENOBOX_HOST: '0.0.0.0', STENOBOX_PUBLIC_URL: 'https://steno.example/base/' }), { issuer: 'https://steno.example/base' })
  t.match(own({ STENOBOX_PUBLIC_URL: 'http://localhost:9000' }), { issuer: 'http://localhost:9000' })
  const faults: Array<[NodeJS.ProcessEnv, RegExp]> = [
    [{ STENOBOX_HOST: '0.0.0.0' }, /^STENOBOX_OAUTH_SERVER: .*set STENOBOX_PUBLIC_URL$/],
    [{ STENOBOX_PORT: '0' }, /^STENOBOX_OAUTH_SERVER: .*set STENOBOX_PUBLIC_URL$/],
    [{ STENOBOX_PUBLIC_URL: 'http://steno.example' }, /^STENOBOX_OAUTH_SERVER: .*https/],
    [{ STENOBOX_OAUTH_ISSUER: 'https://id.example' }, /remove one$/],
    [{ STENOBOX_OAUTH_AUDIENCE: 'x' }, /^STENOBOX_OAUTH_AUDIENCE: .*remove this setting$/]
  ]
  for (const [env, fault] of faults) t.match(faultsOf({ STENOBOX_OAUTH_SERVER: 'true', ...env }), [fault])
  t.match(faultsOf({ STENOBOX_OAUTH_REGISTRATION: 'true' }), [/^STENOBOX_OAUTH_REGISTRATION: .*STENOBOX_OAUTH_SERVER/])
})

t.test('the package index is the one pip would ask', async (t) => {
  const dir = t.testdir({
    'pip.conf': '[global]\ncert = /x\nindex-url = https://own.example/simple\n', 'other.conf': '[global]\n',
    home: { '.pip': { 'pip.conf': '[global]\nindex-url=http://home.example/\n' } }
  })
  const indexOf = (env: Record<string, string>): string => readConfig({ XDG_CONFIG_HOME: `${dir}/none`, ...env }).packageIndex
  t.equal(indexOf({ PIP_INDEX_URL: 'https://env.example/x', PIP_CONFIG_FILE: `${dir}/pip.conf` }), 'https://env.example/x')
  t.equal(indexOf({ PIP_CONFIG_FILE: `${dir}/pip.conf`, HOME: `${dir}/home` }), 'https://own.example/simple')
  t.equal(indexOf({ PIP_CONFIG_FILE: `${dir}/other.conf`, HOME: `${dir}/home` }), 'http://home.example/')
  t.equal(indexOf({ PIP_INDEX_URL: 'not an address', PIP_CONFIG_FILE: `${dir}/pip.conf` }), 'https://own.example/simple')
})
