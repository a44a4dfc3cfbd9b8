/** Models: which are installed and used, fetching them in the background, importing them from an archive, removing them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { STT_QUALITIES } from '../../domain/job.js'
import { MODEL_TASK_STATES } from '../../domain/model-task.js'
import type { ModelTask as StoredTask } from '../../domain/model-task.js'
import type { Advice, ModelAdvice } from '../../service/model-advice.js'
import type { ModelView } from '../../service/model-catalogue.js'
import type { ModelTasks } from '../../service/model-tasks.js'
import { acceptBytes, readBody } from '../contract/body.js'
import { operation } from '../contract/operation.js'
import { IdParams, ok, Success, toIsoTime } from '../contract/schemas.js'
import { audit } from '../plugins/session.js'

const MAX_NAME_LENGTH = 104

const Quality = Type.Enum(STT_QUALITIES)
const Count = (description: string) => Type.Integer({ minimum: 0, description })

const Model = Type.Object({
  name: Type.String(),
  kind: Type.String({ description: 'whisper, parakeet, llm, embedding, speaker-segmentation or speaker-embedding' }),
  state: Type.Enum(['installed', 'damaged', 'absent']),
  bytes: Type.Optional(Count('size of its files; absent if it is not known')),
  languages: Type.Optional(Type.Array(Type.String(), { description: 'absent: all' })),
  licence: Type.String(),
  attribution: Type.Optional(Type.String()),
  note: Type.Optional(Type.String()),
  bundled: Type.Boolean({ description: 'it comes with the program' }),
  added: Type.Boolean({ description: 'added by hand; no manifest has it' }),
  qualities: Type.Array(Quality, { description: 'that may use it' }),
  usedFor: Type.Array(Quality, { description: 'that use it now' }),
  inUse: Type.Boolean({ description: 'something uses it now, so it cannot be removed' }),
  recommended: Type.Boolean({ description: 'the largest speech model for all languages that suits this machine' }),
  minutesPerHour: Type.Optional(Type.Number({ minimum: 0, description: 'estimated processing time for an hour of speech; crude' }))
}, { title: 'Model' })

const Models = Type.Object({
  models: Type.Array(Model),
  sets: Type.Array(Type.Object({
    name: Type.String({ description: 'pulled as `set:NAME`' }),
    for: Type.String(),
    models: Type.Array(Type.String()),
    installed: Type.Boolean(),
    bytes: Count('size of all its models')
  }, { title: 'ModelSet' })),
  unlisted: Type.Array(Type.String(), { description: 'files in the models directory that are in no manifest and are not used' })
}, {
  title: 'Models',
  description: 'All known models.',
  examples: [{
    models: [{
      name: 'base', kind: 'whisper', state: 'installed', bytes: 147_951_465, licence: 'MIT', bundled: false, added: false,
      qualities: ['fast', 'balanced'], usedFor: ['fast', 'balanced', 'accurate'], inUse: true, recommended: false, minutesPerHour: 3.5
    }],
    sets: [{ name: 'small', for: 'a laptop', models: ['base', 'small'], installed: false, bytes: 635_553_432 }],
    unlisted: []
  }]
})

const TASKS = [{
  id: 1, name: 'small', state: 'running', step: 'small', doneBytes: 120_000_000, totalBytes: 487_601_967, notes: [], error: null,
  createdAt: '2026-11-21T09:30:00.000Z', endedAt: null
}]

const Task = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'the model or set' }),
  state: Type.Enum(MODEL_TASK_STATES),
  step: Type.Union([Type.String(), Type.Null()], { description: 'what is being done; null unless it runs' }),
  doneBytes: Count('of this step'),
  totalBytes: Type.Union([Count('of this step'), Type.Null()], { description: 'null: not known yet' }),
  notes: Type.Array(Type.String(), { description: 'what happened on the way, such as sources that did not answer' }),
  error: Type.Union([Type.String(), Type.Null()], { description: 'why it failed, and what to do' }),
  createdAt: Type.String({ format: 'date-time' }),
  endedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
}, {
  title: 'ModelTask',
  description: 'The task.',
  examples: TASKS
})
const TaskList = Type.Array(Task, { description: 'Tasks since the server was started, newest first.', examples: [TASKS] })

const NameParams = Type.Object({ name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }) })
const Removed = Type.Object({ name: Type.String() }, { description: 'The model was removed.', examples: [{ name: 'small' }] })
const Imported = Type.Object({ names: Type.Array(Type.String()) }, {
  title: 'ImportedModels', description: 'The models are installed and used from now on.', examples: [{ names: ['base'] }]
})
const ArchiveQuery = Type.Object({
  sha256: Type.Optional(Type.String({
    pattern: '^[0-9a-fA-F]{64}$', description: 'of the archive, as `stenobox models export` printed it'
  }))
})

function toModel (model: ModelView, { isRecommended, minutesPerHour }: Advice): Static<typeof Model> {
  const { approximateBytes, bytes = approximateBytes, installed: _, makesArtifacts, tellsSpeakers, makesVectors, ...view } = model
  return {
    ...view,
    ...(bytes === undefined ? {} : { bytes }),
    inUse: view.usedFor.length > 0 || makesArtifacts || tellsSpeakers || makesVectors,
    recommended: isRecommended,
    ...(minutesPerHour === undefined ? {} : { minutesPerHour: Math.round(10 * minutesPerHour) / 10 })
  }
}

const toTask = ({ step, totalBytes, error, createdAt, endedAt, ...task }: StoredTask): Static<typeof Task> => ({
  ...task,
  step: step ?? null,
  totalBytes: totalBytes ?? null,
  error: error ?? null,
  createdAt: toIsoTime(createdAt),
  endedAt: endedAt === undefined ? null : toIsoTime(endedAt)
})

type Deps = { modelTasks: ModelTasks, adviseModels: ModelAdvice }

export const modelRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { modelTasks, adviseModels }) => {
  app.get('/models', operation({
    operationId: 'listModels',
    tag: 'Administration',
    summary: 'List models and sets',
    caller: 'administrator',
    replies: { 200: Success(Models) }
  }), async () => {
    const { models, ...rest } = await modelTasks.list()
    const adviceOf = await adviseModels(models)
    return ok({ ...rest, models: models.map((model) => toModel(model, adviceOf(model.name))) })
  })

  app.post('/models/:name/pull', operation({
    operationId: 'pullModel',
    tag: 'Administration',
    summary: 'Fetch a model in the background',
    description: 'One model is fetched at a time. What an earlier attempt has fetched is kept. The model is verified before it is used, ' +
      'and used without a restart. Of a set, all models are fetched.',
    caller: 'administrator',
    params: NameParams,
    replies: { 202: Success(Task) },
    errors: ['not_found', 'conflict']
  }), async (request, reply) => {
    const task = await modelTasks.pull(request.params.name)
    audit(request, { taskId: task.id, model: task.name })
    return reply.code(202).send(ok(toTask(task)))
  })

  app.get('/model-tasks', operation({
    operationId: 'listModelTasks',
    tag: 'Administration',
    summary: 'List models that are or were being fetched, with progress',
    caller: 'administrator',
    replies: { 200: Success(TaskList) }
  }), async () => ok(modelTasks.listTasks().map(toTask)))

  app.delete('/model-tasks/:id', operation({
    operationId: 'cancelModelTask',
    tag: 'Administration',
    summary: 'Stop fetching a model',
    description: 'What has been fetched is kept, and resumed by the next pull.',
    caller: 'administrator',
    params: IdParams,
    replies: { 200: Success(Task) },
    errors: ['not_found']
  }), async (request) => {
    const task = modelTasks.cancel(request.params.id)
    audit(request, { taskId: task.id, model: task.name })
    return ok(toTask(task))
  })

  app.delete('/models/:name', operation({
    operationId: 'removeModel',
    tag: 'Administration',
    summary: 'Remove a model that is not in use',
    caller: 'administrator',
    params: NameParams,
    replies: { 200: Success(Removed) },
    errors: ['not_found', 'conflict']
  }), async (request) => {
    const { name } = request.params
    await modelTasks.remove(name)
    audit(request, { model: name })
    return ok({ name })
  })
}

/** The archive of `stenobox models export`, streamed to disk. */
export const modelArchiveRoutes: FastifyPluginAsyncTypebox<Pick<Deps, 'modelTasks'>> = async (app, { modelTasks }) => {
  acceptBytes(app)
  app.put('/models/archive', {
    ...operation({
      operationId: 'importModels',
      tag: 'Administration',
      summary: 'Install models from an archive',
      description: 'For machines without internet: the body is the tar that `stenobox models export` wrote on another machine. ' +
        'Every file is verified. All models are installed, or none.',
      caller: 'administrator',
      querystring: ArchiveQuery,
      takesBytes: true,
      replies: { 200: Success(Imported) },
      errors: ['conflict']
    }),
    // The list in the archive says how long it is, and the disk is checked for that.
    bodyLimit: Number.MAX_SAFE_INTEGER
  }, async (request) => {
    const names = await modelTasks.importFrom(readBody(request, 'archive'), request.query.sha256)
    audit(request, { models: names.join() })
    return ok({ names })
  })
}
