/** One of each thing that the interface names by an id, of one owner, in every state, for generated requests. */
import type { Test } from 'tap'
import type { Appliance } from '../../dist/app.js'
import { hashSecret } from '../../dist/domain/page-session.js'
import type { Operation } from './document.ts'
import { openStores } from './store.ts'

export const JOB_STATES = ['completed', 'queued', 'processing', 'failed'] as const
type Kind = typeof JOB_STATES[number] | 'unknown'

/** Creates the things of the named owner. The appliance must not be working on jobs. */
export async function prepareThings (t: Test, dataDir: string, appliance: Appliance, owner: string) {
  const { db, addJob, transcripts, apiKeys, webhooks, deliveries, shares, work } = openStores(t, dataDir)
  const ownerId = apiKeys.ensureOwner(owner, 0)
  let names = 0

  function addJobIn (status: typeof JOB_STATES[number]): number {
    const id = addJob(owner)
    const ended = status === 'completed' || status === 'failed'
    db.prepare('UPDATE job SET status = ?, failure_code = ?, duration_ms = 2700, completed_at = ? WHERE id = ?')
      .run(status, status === 'failed' ? 'decode_failed' : null, ended ? 1 : null, id)
    if (status === 'completed') work.removeRun(id)
    if (status === 'failed') work.failRun(id)
    if (status !== 'completed') return id
    const words = [
      { text: ' The', startMs: 300, endMs: 450, probability: 0.98 },
      { text: ' meeting', startMs: 450, endMs: 900, probability: 0.95 }
    ]
    transcripts.insertWindow(id, 0, [{ startMs: 300, endMs: 900, text: ' The meeting', words }])
    return id
  }

  const addUpload = async (): Promise<string> =>
    (await appliance.uploads.begin({ ownerId, plan: 'enterprise' }, { fileName: 'talk.mp3', sizeBytes: 10 })).upload.id

  const addEndpoint = (): number => webhooks.insert({ ownerId, url: 'https://example.org/hook', secret: 's', apiKeyId: undefined, now: 0 })

  /** One that failed. */
  function addDelivery (): number {
    const [jobId, endpointId] = [addJobIn('completed'), addEndpoint()]
    const id = deliveries.insert({ jobId, endpointId, event: 'transcription.completed', messageId: `msg_${jobId}`, body: '{}', now: 0 })
    deliveries.setFailed(id)
    const delivery = deliveries.find(id)
    if (!delivery) throw new Error('the delivery is there')
    return deliveries.log(delivery, 1, {
      url: 'https://example.org/hook',
      status: 'failed',
      responseCode: 404,
      error: 'The receiver answered 404.',
      durationMs: 5,
      at: 0
    })
  }

  /** The token of a new link. */
  function addShare (): string {
    const token = `token-${++names}`
    shares.insert({ jobId: addJobIn('completed'), hash: hashSecret(token), now: 0, expiresAt: Date.UTC(2200, 0) })
    return token
  }

  function addGrant (): string {
    const id = `grant-${++names}`
    if (!appliance.oauth.findClient('program')) {
      appliance.oauth.registerClient('program', {
        client_id: 'program', client_name: 'Program', redirect_uris: ['http://127.0.0.1/callback']
      })
    }
    const resources = { 'http://localhost': 'transcripts:read' }
    appliance.oauth.saveRecord('Grant', id, { accountId: String(ownerId), clientId: 'program', resources }, 3600)
    return id
  }

  /** Creates what a path names, keyed by the path up to its parameter. */
  const makers: Record<string, (kind: Kind) => Promise<string | number> | string | number> = {
    '/api/v1/jobs/{id}': (kind) => kind === 'unknown' ? 999_999 : addJobIn(kind),
    '/api/v1/transcriptions/{id}': (kind) => kind === 'unknown' ? 999_999 : addJobIn(kind),
    '/api/v1/webhooks/endpoints/{id}': (kind) => kind === 'unknown' ? 999_999 : addEndpoint(),
    '/api/v1/webhooks/deliveries/{id}': (kind) => kind === 'unknown' ? 999_999 : addDelivery(),
    '/api/v1/media/uploads/{uploadId}': async (kind) => kind === 'unknown' ? 'nothing' : await addUpload(),
    '/api/v1/admin/owners/{id}': (kind) => kind === 'unknown' ? 999_999 : appliance.owners.create({ name: `made ${++names}` }).id,
    '/api/v1/admin/keys/{id}': (kind) => kind === 'unknown' ? 999_999 : appliance.keys.create({ name: 'made', owner, plan: 'free' }).id,
    '/api/v1/shared/{token}': (kind) => kind === 'unknown' ? 'nothing' : addShare(),
    '/api/v1/connections/{id}': (kind) => kind === 'unknown' ? 'nothing' : addGrant(),
    '/api/v1/keys/{id}': (kind) => kind === 'unknown' ? 999_999 : appliance.keys.create({ name: 'made', owner, plan: 'free' }).id,
    '/api/v1/admin/jobs/{id}': (kind) => kind === 'unknown' ? 999_999 : addJobIn(kind),
    '/api/v1/admin/models/{name}': (kind) => kind === 'unknown' ? 'nothing' : 'large-v3',
    '/api/v1/admin/model-tasks/{id}': (kind) => kind === 'unknown' ? 999_999 : 1,
    '/api/v1/admin/plans/{plan}': (kind) => kind === 'unknown' ? 'gold' : 'pro'
  }
  const made = new Map<string, string | number>()
  for (const [path, make] of Object.entries(makers)) {
    for (const kind of [...JOB_STATES, 'unknown'] as const) made.set(`${path} ${kind}`, await make(kind))
  }

  return {
    /** The path with a thing's id for its first parameter; other parameters become 1. */
    fill (path: string, kind: Kind): string {
      const named = /^[^{]*\{\w+\}/.exec(path)?.[0]
      if (named === undefined) return path
      const id = made.get(`${named} ${kind}`)
      if (id === undefined) throw new Error(`test/support/things.ts does not know how to make what ${named} names`)
      return path.replace(named, named.replace(/\{\w+\}$/, String(id))).replace(/\{\w+\}/g, '1')
    },
    /** Replaces things that requests have used up. */
    async renew (path: string): Promise<void> {
      const named = /^[^{]*\{\w+\}/.exec(path)?.[0] ?? ''
      for (const kind of JOB_STATES) if (makers[named]) made.set(`${named} ${kind}`, await makers[named](kind))
    },
    queryOf: ({ parameters = [] }: Operation): string => (parameters.some(({ name }) => name === 'format') ? '?format=txt' : ''),
    headersOf: ({ requestBody }: Operation): Record<string, string> =>
      requestBody ? { 'content-type': Object.keys(requestBody.content ?? {})[0] ?? '' } : {},
    bodyOf: ({ requestBody }: Operation): { payload?: string } => {
      const [[type, media] = []] = Object.entries(requestBody?.content ?? {})
      return media === undefined ? {} : { payload: type === 'application/json' ? JSON.stringify(media.example) : 'x' }
    }
  }
}
export type Things = Awaited<ReturnType<typeof prepareThings>>
