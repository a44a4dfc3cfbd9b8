import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { setImmediate as tick } from 'node:timers/promises'
import t from 'tap'
import { JobFailure } from '../../dist/domain/errors.js'
import { FetchError } from '../../dist/domain/fetch-error.js'
import type { PageFacts } from '../../dist/engine/media/yt-dlp.js'
import type { SourceDownload } from '../../dist/engine/http/source-download.js'
import { HOLD_MS } from '../../dist/service/fetch-places.js'
import { MAX_AHEAD } from '../../dist/service/fetching.js'
import { LEASE_MS } from '../../dist/service/queue.js'
import { file, openFetching } from '../support/fetching.ts'
import { sha256 } from '../support/submit.ts'
import { ANY_FETCH, nameOf } from '../support/store.ts'

const URL = 'https://example.org/talk.mp3'
const PAGE: PageFacts = {
  title: nameOf('A film'), publishedAt: 5, identity: 'Tube:1', durationMs: 60_000, sizeBytes: 10, format: 'f1', info: '{"id":1}'
}

/** Writes a file as yt-dlp would. */
const write = (content: string) => async (directory: string): Promise<string> => {
  writeFileSync(`${directory}/media`, content)
  return 'media'
}

t.test('a file becomes the media of its job, under the name that fits best', async (t) => {
  const { fetch, mediaOf, files, list } = await openFetching(t, {
    at: { [URL]: file('sound'), 'https://example.org/x': file('other', { name: 'Given.mp3' }) }
  })
  const job = await fetch(URL)
  t.match(job, { status: 'processing', stage: 'decode', fileName: 'talk.mp3', source: { url: URL, fetched: 1 } })
  const media = mediaOf(job.id)
  t.match(media, { state: 'stored', sizeBytes: 5, sha256: sha256(Buffer.from('sound')) })
  t.equal(readFileSync(files.mediaPath(media?.file ?? ''), 'utf8'), 'sound')
  t.strictSame(list(`work/${job.id}`), [], 'no draft is left')
  t.match(await fetch('https://example.org/x'), { fileName: 'Given.mp3' }, 'as the server calls it')
  t.match(await fetch('https://example.org/x', 'Mine'), { fileName: 'Mine' }, 'as the caller calls it')
})

t.test('the newest episode of a feed, with its title and date; a feed of feeds is none', async (t) => {
  const feed = (url: string): string =>
    '<rss><channel><item><title>Talk</title><pubDate>Mon, 01 Jun 2026 08:00:00 GMT</pubDate>' +
    `<enclosure url="${url}" type="audio/mpeg"/></item></channel></rss>`
  const { fetch } = await openFetching(t, {
    at: {
      'https://example.org/feed': { kind: 'feed', url: 'https://example.org/feed', text: feed('talk.mp3') },
      'https://user:secret@example.org/feed': { kind: 'feed', url: 'https://example.org/feed', text: feed('members.mp3') },
      'https://user:secret@example.org/members.mp3': file('members only'),
      'https://example.org/loop': { kind: 'feed', url: 'https://example.org/loop', text: feed('loop') },
      [URL]: file('sound', { name: 'x.mp3' })
    }
  })
  t.match(await fetch('https://example.org/feed'), {
    stage: 'decode', fileName: 'Talk', source: { url: 'https://example.org/feed', title: 'Talk', publishedAt: Date.UTC(2026, 5, 1, 8) }
  })
  const withPassword = await fetch('https://user:secret@example.org/feed')
  t.match(withPassword, { stage: 'decode', source: { url: 'https://example.org/feed' } }, 'with the name and password of the feed')
  t.match(await fetch('https://example.org/loop'), { status: 'failed', failureCode: 'source_unsupported' })
})

t.test('a higher pace is required while another owner waits for a place', async (t) => {
  const contended: unknown[] = []
  const { fetch, addUrlJob } = await openFetching(t, {
    at: {
      [URL]: async (download) => {
        const isContended = (): unknown => download.isContended?.()
        contended.push(isContended())
        addUrlJob('owner', 'https://example.org/mine')
        contended.push(isContended())
        addUrlJob('other', 'https://example.org/theirs')
        contended.push(isContended())
        return await file('sound')(download)
      }
    }
  })
  await fetch(URL)
  t.strictSame(contended, [false, false, true], 'jobs of the same owner do not hurry each other')
})

t.test('a place that was held for long goes to an owner who waits; the fetch is resumed in its turn', async (t) => {
  const stopped: unknown[] = []
  const heldBy: string[] = []
  const hold = (owner: string) => async ({ signal }: SourceDownload): Promise<never> => await new Promise((_resolve, reject) => {
    heldBy.push(owner)
    signal.addEventListener('abort', () => { stopped.push(owner); reject(new Error('stopped')) }, { once: true })
  })
  const { addUrlJob, claim, clock, fetching, jobs, work } = await openFetching(t, {
    at: { 'https://a.example/': hold('a'), 'https://b.example/': hold('b'), 'https://c.example/': hold('c') }
  })
  const controller = new AbortController()
  const start = async (): Promise<{ ended: Promise<void> }> => {
    const count = heldBy.length
    const ended = fetching.fetch(claim(), controller.signal)
    while (heldBy.length === count) await tick()
    return { ended }
  }
  const first = addUrlJob('a', 'https://a.example/')
  addUrlJob('b', 'https://b.example/')
  const a = await start()
  clock.advance(1)
  const b = await start()
  clock.advance(HOLD_MS)
  fetching.yieldPlace()
  t.strictSame(stopped, [], 'nobody waits')
  addUrlJob('a', 'https://a.example/')
  fetching.yieldPlace()
  t.strictSame(stopped, [], 'jobs of the same owner do not count, and the other one has a place')
  addUrlJob('c', 'https://c.example/')
  fetching.yieldPlace()
  fetching.yieldPlace()
  await a.ended
  t.strictSame(stopped, ['a'], 'one place: the one that was held longest')
  t.match(jobs.find(first), { status: 'processing', stage: 'fetch' })
  const c = await start()
  t.strictSame(heldBy, ['a', 'b', 'c'], 'the owner who waits is next')
  clock.advance(HOLD_MS - 1)
  fetching.yieldPlace()
  await b.ended
  t.strictSame(stopped, ['a', 'b'], 'a given back fetch waits like any other')
  t.equal(claim().jobId, first)
  t.ok(work.hasOpen({ jobId: first, kind: 'fetch' }))
  controller.abort()
  await c.ended
})

t.test('no higher pace is required while others wait for recordings to be decoded', async (t) => {
  const contended: unknown[] = []
  const { fetch, addUrlJob, jobs, work } = await openFetching(t, {
    at: {
      [URL]: async (download) => {
        addUrlJob('other', 'https://example.org/theirs')
        contended.push(download.isContended?.())
        const waiting = Array.from({ length: MAX_AHEAD }, () => addUrlJob('other', 'https://example.org/more'))
        for (const jobId of waiting) {
          jobs.begin(jobId, 'fetch', 1)
          work.remove({ jobId, kind: 'fetch' })
        }
        contended.push(download.isContended?.())
        return await file('sound')(download)
      }
    }
  })
  await fetch(URL)
  t.strictSame(contended, [true, false])
})

t.test('the same content is stored once; what is known is not downloaded', async (t) => {
  const { fetch, mediaOf, list, db } = await openFetching(t, {
    at: {
      [URL]: file('sound', { identity: 'this' }),
      'https://example.org/copy': file('sound'),
      'https://example.org/known': async ({ isStored }) =>
        isStored('this') ? { kind: 'stored', name: 'Known', identity: 'this' } : await file('never')({} as never)
    }
  })
  const [first, copy, known] = [await fetch(URL), await fetch('https://example.org/copy'), await fetch('https://example.org/known')]
  t.strictSame([copy.mediaId, known.mediaId], [first.mediaId, first.mediaId])
  t.match(known, { stage: 'decode', fileName: 'Known' })
  t.equal(list('media').length, 1)
  t.equal(db.prepare('SELECT count(*) FROM media').pluck().get(), 1, 'rows that nobody waits for are gone')
  t.equal(mediaOf(copy.id)?.state, 'stored')
})

t.test('a page comes through yt-dlp, and is known the second time', async (t) => {
  let runs = 0
  const { fetch, inspected } = await openFetching(t, {
    at: { [URL]: { kind: 'page' } },
    page: PAGE,
    bring: async (directory) => {
      runs++
      t.equal(readFileSync(`${directory}/info.json`, 'utf8'), PAGE.info)
      return await write('film')(directory)
    }
  })
  t.match(await fetch(URL), { stage: 'decode', fileName: 'A film', source: { title: 'A film', publishedAt: 5 } })
  t.match(await fetch(URL), { stage: 'decode', mediaId: 1 })
  t.equal(runs, 1)
  t.strictSame(inspected[0], { url: URL, onlyKnown: false })
})

t.test('a partial download of another format is not resumed', async (t) => {
  const { files, submitAddress, fetching, claim, jobs } = await openFetching(t, {
    at: { [URL]: { kind: 'page' } },
    page: PAGE,
    bring: async (directory) => {
      t.equal(existsSync(`${directory}/media.part`), readdirSync(directory).includes('again'), 'only what is half of the same')
      return await write('film')(directory)
    }
  })
  for (const [format, mark] of [['another', 'first'], [PAGE.format, 'again']] as const) {
    const id = await submitAddress(URL)
    const directory = await files.drafts.makeDirectory(id)
    for (const name of ['media.part', mark]) writeFileSync(`${directory}/${name}`, 'half')
    await files.drafts.writeNote(id, 'format', format)
    await fetching.fetch(claim(), new AbortController().signal)
    t.match(jobs.find(id), { stage: 'decode' })
  }
})

t.test('a recording that is too long, or too large, is not begun', async (t) => {
  for (const [page, code] of [
    [{ ...PAGE, durationMs: 3_600_001 }, 'media_too_long'], [{ ...PAGE, sizeBytes: 1001 }, 'media_too_large']
  ] as const) {
    const { fetch } = await openFetching(t, { at: { [URL]: { kind: 'page' } }, page })
    t.match(await fetch(URL), { status: 'failed', failureCode: code })
  }
})

t.test('when a site refuses non-browsers, yt-dlp is asked, but only about known platforms', async (t) => {
  const refused = new JobFailure('source_forbidden', 'status 403')
  const known = await openFetching(t, { at: { [URL]: refused }, page: PAGE, bring: write('film') })
  t.match(await known.fetch(URL), { stage: 'decode', fileName: 'A film' })
  t.strictSame(known.inspected, [{ url: URL, onlyKnown: true }])
  const unknown = await openFetching(t, { at: { [URL]: refused } })
  t.match(await unknown.fetch(URL), { status: 'failed', failureCode: 'source_forbidden' })
})

t.test('what the proxy refused is why a page cannot be had', async (t) => {
  const { fetch } = await openFetching(t, {
    at: { [URL]: { kind: 'manifest' } }, page: new JobFailure('source_forbidden', '403'), problem: new FetchError('blocked', 'sources')
  })
  t.match(await fetch(URL), { status: 'failed', failureCode: 'source_blocked' })
})

t.test('a failure ends the job and leaves nothing', async (t) => {
  const { fetch, fetching, list } = await openFetching(t, {
    at: {
      [URL]: async (download) => {
        await file('half')(download)
        throw new JobFailure('source_unreachable', 'broken')
      },
      'https://example.org/full': async () => { throw Object.assign(new Error('full'), { code: 'ENOSPC' }) },
      'https://example.org/odd': new Error('a fault of ours'),
      'https://example.org/live': { kind: 'live' },
      'https://example.org/empty': file('')
    }
  })
  const codes = {
    [URL]: 'source_unreachable',
    'https://example.org/full': 'insufficient_storage',
    'https://example.org/odd': 'internal_error',
    'https://example.org/live': 'source_unsupported',
    'https://example.org/empty': 'unsupported_media',
    'https://example.org/nothing': 'source_not_found'
  }
  for (const [url, failureCode] of Object.entries(codes)) t.match(await fetch(url), { status: 'failed', failureCode }, url)
  t.strictSame([list('work'), list('media')], [[], []])
  t.equal(fetching.claim(ANY_FETCH), undefined)
})

t.test('a full disk fails the job before the download', async (t) => {
  const { submitAddress, fetching, claim, jobs } = await openFetching(t, {
    at: {
      [URL]: async ({ requireRoom }) => {
        await requireRoom(5000, 0)
        throw new Error('there is room')
      }
    },
    changes: { minFreeBytes: 1000, files: { freeBytes: async () => 5000 } }
  })
  const id = await submitAddress(URL)
  await fetching.fetch(claim(), new AbortController().signal)
  t.match(jobs.find(id), { failureCode: 'insufficient_storage' })
})

t.test('a fetch that is stopped is given back, with its draft', async (t) => {
  const controller = new AbortController()
  const { submitAddress, fetching, claim, jobs, list } = await openFetching(t, {
    at: {
      [URL]: async (download) => {
        await file('half')(download)
        controller.abort(new Error('stopping'))
        throw new Error('stopping')
      }
    }
  })
  const id = await submitAddress(URL)
  await fetching.fetch(claim(), controller.signal)
  t.match(jobs.find(id), { status: 'processing', stage: 'fetch' })
  t.match(claim(), { jobId: id, attempt: 1 })
  t.ok(list('work').includes(`${id}/source/part`))
})

t.test('a fetch that lost its claim, or whose job has ended, stores nothing', async (t) => {
  const { submitAddress, fetching, claim, jobs, clock, list, mediaOf } = await openFetching(t, { at: { [URL]: file('sound') } })
  const id = await submitAddress(URL)
  const late = claim()
  clock.advance(LEASE_MS)
  claim()
  await fetching.fetch(late, new AbortController().signal)
  t.match(jobs.find(id), { stage: 'fetch', status: 'processing' })
  t.strictSame([mediaOf(id)?.state, list('media')], ['expected', []])
})

t.test('progress is noted with each percent that arrives, however fast', async (t) => {
  const seen: unknown[] = []
  const opened = await openFetching(t, {
    at: {
      [URL]: async (download) => {
        for (const share of [0, 0.004, 0.1, 0.105, 0.5, 1]) {
          download.onProgress(share)
          seen.push(opened.jobs.find(1)?.source?.fetched)
        }
        return await file('sound')(download)
      }
    }
  })
  await opened.fetch(URL)
  t.strictSame(seen, [0, 0, 0.1, 0.1, 0.5, 1])
})

t.test('while a job fails, nobody claims its source again', async (t) => {
  const opened = await openFetching(t, {
    changes: {
      files: {
        async removeWork (jobId: number) {
          claims.push(opened.fetching.claim(ANY_FETCH)?.jobId)
          await opened.files.drafts.remove(jobId)
        }
      }
    }
  })
  const claims: unknown[] = []
  t.match(await opened.fetch(URL), { status: 'failed' })
  t.strictSame(claims, [undefined])
})

t.test('a job that is removed while it is fetched leaves nothing', async (t) => {
  const controller = new AbortController()
  const { submitAddress, fetching, claim, jobs, list } = await openFetching(t, {
    at: {
      [URL]: async (download) => {
        await file('half')(download)
        jobs.remove(1)
        controller.abort(new Error('the job has ended'))
        throw new Error('the job has ended')
      }
    }
  })
  await submitAddress(URL)
  await fetching.fetch(claim(), controller.signal)
  t.strictSame(list('work'), [])
})

t.test('a retry leaves no row of the media that its first run brought', async (t) => {
  const { fetch, fetching, ending, sources, jobs, claim, clock, db, mediaOf } = await openFetching(t, { at: { [URL]: file('sound') } })
  const job = await fetch(URL)
  await ending.fail(job, 'decode_failed', new Error('x'))
  t.equal(mediaOf(job.id)?.state, 'removed')
  sources.restart(job.id)
  jobs.retry(job.id, clock.now())
  await fetching.fetch(claim(), new AbortController().signal)
  t.equal(mediaOf(job.id)?.state, 'stored')
  t.equal(db.prepare('SELECT count(*) FROM media').pluck().get(), 1)
})

t.test('media that is removed while another job is about to use it is fetched after all', async (t) => {
  let remove = (): void => {}
  const { fetch, fetching, submitAddress, jobs, claim, media, mediaOf } = await openFetching(t, {
    at: {
      [URL]: async (download) => {
        if (!download.isStored('this')) return await file('sound', { identity: 'this' })(download)
        queueMicrotask(remove)
        return { kind: 'stored', name: undefined, identity: 'this' }
      }
    }
  })
  const first = await fetch(URL)
  jobs.setDecoded(first.id, 1000, 1)
  jobs.complete(first.id, 1)
  remove = () => { media.expire(first.mediaId, false) }
  const id = await submitAddress(URL)
  await fetching.fetch(claim(), new AbortController().signal)
  t.match(jobs.find(id), { status: 'processing', stage: 'fetch', failureCode: undefined }, 'waits to be fetched again')
  await fetching.fetch(claim(), new AbortController().signal)
  t.match(jobs.find(id), { stage: 'decode' })
  t.match(mediaOf(id), { state: 'stored' })
  t.not(mediaOf(id)?.id, first.mediaId)
})
