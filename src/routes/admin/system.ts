/** The state of the appliance: disks, memory, devices, models and checks. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import type { System as SystemService, SystemView } from '../../service/system.js'
import { operation } from '../contract/operation.js'
import { ok, Success, toIsoTime } from '../contract/schemas.js'

const Bytes = (description: string) => Type.Integer({ minimum: 0, description })
const Model = Type.Union([Type.String(), Type.Null()], { description: 'name of the model; null: none' })

const System = Type.Object({
  version: Type.String(),
  node: Type.String(),
  uptimeSeconds: Type.Number({ minimum: 0 }),
  disks: Type.Array(Type.Object({ path: Type.String(), freeBytes: Bytes('free'), totalBytes: Bytes('size') }), {
    description: 'where data and models are; one if they are on the same disk'
  }),
  minFreeBytes: Bytes('recordings and models are refused below this'),
  memory: Type.Object({
    totalBytes: Bytes('of the machine or the container'),
    availableBytes: Bytes('free'),
    processBytes: Bytes('of the server, without the inference process')
  }),
  gpus: Type.Array(Type.String(), { description: 'devices of the speech models; empty: the processor' }),
  models: Type.Object({
    speech: Type.Object({ fast: Model, balanced: Model, accurate: Model }),
    language: Model,
    embedding: Model,
    speakers: Type.Array(Type.String(), { description: 'empty: the bundled model' })
  }, { description: 'the models that are used now' }),
  checks: Type.Array(Type.Object({
    name: Type.String(),
    ok: Type.Boolean(),
    matters: Type.Boolean({ description: 'whether the appliance does not work without it' }),
    detail: Type.String({ description: 'what was found, and what to do' })
  }, { title: 'Check' })),
  checkedAt: Type.String({ format: 'date-time', description: 'checks are repeated after a minute' })
}, {
  title: 'System',
  description: 'The state of the appliance.',
  examples: [{
    version: '0.1.0', node: 'v24.21.0', uptimeSeconds: 86_400, minFreeBytes: 1_073_741_824,
    disks: [{ path: '/var/lib/stenobox', freeBytes: 80_000_000_000, totalBytes: 100_000_000_000 }],
    memory: { totalBytes: 16_000_000_000, availableBytes: 9_000_000_000, processBytes: 300_000_000 },
    gpus: [],
    models: { speech: { fast: 'base', balanced: 'base', accurate: 'base' }, language: null, embedding: 'all-MiniLM-L6-v2', speakers: [] },
    checks: [{ name: 'disk', ok: true, matters: true, detail: '74.5 GiB free for /var/lib/stenobox' }],
    checkedAt: '2026-11-21T09:30:00.000Z'
  }]
})

function toSystem ({ uptimeMs, checkedAt, models, ...view }: SystemView): Static<typeof System> {
  const { speech: { fast = null, balanced = null, accurate = null }, language = null, embedding = null, speakers } = models
  return {
    ...view,
    uptimeSeconds: Math.round(uptimeMs / 1000),
    models: { speech: { fast, balanced, accurate }, language, embedding, speakers },
    checkedAt: toIsoTime(checkedAt)
  }
}

export const systemRoutes: FastifyPluginAsyncTypebox<{ system: SystemService }> = async (app, { system }) => {
  app.get('/system', operation({
    operationId: 'getSystem',
    tag: 'Administration',
    summary: 'Get the state of the appliance',
    description: 'The checks are those of `stenobox doctor`, except that model files are not read again and nothing is measured.',
    caller: 'administrator',
    replies: { 200: Success(System) }
  }), async () => ok(toSystem(await system.read())))
}
