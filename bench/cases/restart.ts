/** How soon a server that was killed at work is there again. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import type { Appliance, ApplianceOptions } from '../../dist/evaluate/appliance.js'
import { createClient } from '../lib/client.ts'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { cutRecording, findFixture, loopRecording } from '../lib/recordings.ts'
import { formatMs } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { largest, median } from '../../dist/evaluate/machine/statistics.js'

const LANGUAGE = 'en'
type Kill = { readyMs: number, progressBefore: number, progressAfter: number }

export const restart: Benchmark = {
  name: 'restart',
  summary: 'time from kill -9 and start to GET /readyz 200, with a few hundred jobs stored',
  minutes: 4,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const times = context.options.quick ? 3 : 10
  const storedJobs = context.options.quick ? 20 : 200
  const setup = {
    dataDir: join(context.scratch, 'data-restart'),
    modelsDir: await installModel(join(context.scratch, 'models-restart'), STARTER_WEIGHTS, 5)
  }
  const key = await createKey(setup, 'bench')
  const talk = findFixture('talk').path
  const clip = await cutRecording(talk, join(context.scratch, 'restart-clip.flac'), 2.6, 3)
  const long = await loopRecording(talk, join(context.scratch, 'restart-long.mp3'), 3600)
  let appliance = await startAppliance(setup)
  try {
    context.log(`storing ${storedJobs} jobs …`)
    await storeJobs(appliance, key, clip, storedJobs)
    const kills: Kill[] = []
    let longId = await submitLong(appliance, key, long)
    for (let time = 0; time < times; time++) {
      const progressBefore = await workFor(appliance, key, longId)
      if (progressBefore > 90) longId = await submitLong(appliance, key, long)
      await appliance.kill()
      appliance = await startAppliance(setup)
      const { progress, status } = await createClient(appliance.url, key).findJob(longId)
      if (status === 'failed') throw new Error('The interrupted job failed')
      kills.push({ readyMs: appliance.readyMs, progressBefore, progressAfter: progress })
      context.log(`restart ${time + 1}: ready after ${formatMs(appliance.readyMs)}`)
    }
    return report(setup, kills, storedJobs)
  } finally {
    await appliance.kill()
  }
}

async function storeJobs (appliance: Appliance, key: string, clip: string, count: number): Promise<void> {
  const client = createClient(appliance.url, key)
  const atOnce = 5
  for (let stored = 0; stored < count; stored += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - stored) }, async () => {
      await client.waitFor(await client.submit(clip, { language: LANGUAGE }))
    }))
  }
}

async function submitLong (appliance: Appliance, key: string, long: string): Promise<number> {
  return await createClient(appliance.url, key).submit(long, { language: LANGUAGE })
}

/** Until a few windows more are done: the kill then meets workers in the middle of others, never the same one each time. */
async function workFor (appliance: Appliance, key: string, id: number): Promise<number> {
  const client = createClient(appliance.url, key)
  const start = (await client.findJob(id)).progress
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 50) {
    const { progress, status } = await client.findJob(id)
    if (progress >= start + 3 || status === 'completed') return progress
    await sleep(50)
  }
  throw new Error('The server does not work on the recording')
}

function report (setup: ApplianceOptions, kills: readonly Kill[], storedJobs: number): Report {
  const times = kills.map(({ readyMs }) => readyMs)
  return {
    result: `Ready again after ${formatMs(median(times))} (median of ${times.length}; largest ${formatMs(largest(times))}).`,
    tables: [{
      title: `${storedJobs} finished jobs and one at work`,
      columns: ['restart', 'ready after', 'progress before', 'progress after'],
      rows: kills.map(({ readyMs, progressBefore, progressAfter }, index) =>
        [index + 1, formatMs(readyMs), `${progressBefore} %`, `${progressAfter} %`])
    }],
    notes: ['Killed with SIGKILL while every worker was busy. Time from starting the process to the first 200 of GET /readyz, ' +
      'asked for every 5 ms.'],
    figures: { kills, medianMs: median(times), largestMs: largest(times), storedJobs }
  }
}
