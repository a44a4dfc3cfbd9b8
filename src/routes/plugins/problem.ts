/** Content negotiation for RFC 9457 problems. */

const PROBLEM = 'application/problem+json'
const ENVELOPE = 'application/json'

/** Quality values of an Accept header (RFC 9110 section 12.5.1) by media type; 1 if none is given. */
function qualities (accept: string): Map<string, number> {
  return new Map(accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return [type, quality === undefined ? 1 : Number(quality.slice(2))]
  }))
}

/** True if the client names `application/problem+json` and prefers it to plain JSON, or likes both equally. */
export function wantsProblem (accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes(PROBLEM)) return false
  const accepted = qualities(accept)
  const quality = accepted.get(PROBLEM) ?? 0
  return quality > 0 && quality >= (accepted.get(ENVELOPE) ?? 0)
}
