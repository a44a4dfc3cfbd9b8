/** Sends a recording, or the part of it that a player asks for (RFC 9110, section 14). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { matchesEtag, parseByteRange } from '../domain/byte-range.js'
import { AppError } from '../domain/errors.js'
import type { Playable } from '../service/playback.js'
import { attachmentNamed } from './content-disposition.js'

/** Nothing in the file may act as a page of this site, whatever a browser takes it for. */
const HEADERS = {
  'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox"
}

const rangeError = (sizeBytes: number): AppError =>
  new AppError('range_not_satisfiable', `The recording has ${sizeBytes} bytes. The range begins after them.`, {
    headers: { 'content-range': `bytes */${sizeBytes}` }
  })

/** Throws `range_not_satisfiable`, and what `open` throws. Closes what is not sent. */
export async function sendRecording (request: FastifyRequest, reply: FastifyReply, playable: Playable): Promise<FastifyReply> {
  try {
    return await send(request, reply, playable)
  } catch (error) {
    await playable.close()
    throw error
  }
}

async function send (request: FastifyRequest, reply: FastifyReply, playable: Playable): Promise<FastifyReply> {
  const { sizeBytes, etag, contentType, fileName } = playable
  const { range, 'if-range': ifRange = etag, 'if-none-match': known } = request.headers
  const part = ifRange === etag ? parseByteRange(range, sizeBytes) : undefined
  reply.headers({ ...HEADERS, etag })
  const isKnown = matchesEtag(known, etag)
  if (isKnown || request.method === 'HEAD') await playable.close()
  if (isKnown) return await reply.code(304).send()
  if (part === 'none') throw rangeError(sizeBytes)
  const { start, end } = part ?? { start: 0, end: sizeBytes }
  if (part) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${sizeBytes}`)
  reply.type(contentType).header('content-length', end - start)
  reply.header('content-disposition', attachmentNamed(fileName).replace('attachment', 'inline'))
  return await reply.send(request.method === 'HEAD' ? Readable.from([]) : playable.open({ start, end }))
}
