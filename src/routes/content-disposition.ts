/** The Content-Disposition header (RFC 6266). */

/** Half of a surrogate pair, which cannot be encoded. */
const HALF = /\p{Cs}/gu
/** Characters that a quoted string cannot contain as they are. Percent signs too: some clients decode them there, others do not. */
const PLAIN = /[^\x20-\x7e]|["\\%]/gu
/** Characters that encodeURIComponent does not encode, but RFC 8187 does not allow. */
const NOT_ATTRIBUTE = /['()*]/g

/**
 * The header value that makes a client save the reply as `fileName`: percent-encoded for clients that read `filename*`, and with
 * underscores in place of characters outside ASCII for all others. No name can end the value or add another header.
 */
export function attachmentNamed (fileName: string): string {
  const name = fileName.replace(HALF, '\ufffd')
  const plain = name.replace(PLAIN, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const encode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  const encoded = encodeURIComponent(name).replace(NOT_ATTRIBUTE, encode)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
