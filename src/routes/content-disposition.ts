/** RFC 6266: under which name a reply is saved. */

/** Half of a surrogate pair, which cannot be encoded. */
const HALF = /\p{Cs}/gu
/** What a quoted string takes as it is. Percent signs are left out: some clients decode them there, others do not. */
const PLAIN = /[^\x20-\x7e]|["\\%]/gu
/** What encodeURIComponent leaves alone and RFC 8187 does not allow in a value. */
const NOT_ATTRIBUTE = /['()*]/g

/**
 * The header that has a client save the reply as `fileName`: whole and percent-encoded for those that read `filename*`, with underscores for
 * what is not ASCII for all others. No name can end the value or the header, or begin another.
 */
export function attachmentNamed (fileName: string): string {
  const name = fileName.replace(HALF, '\ufffd')
  const plain = name.replace(PLAIN, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const encoded = encodeURIComponent(name).replace(NOT_ATTRIBUTE, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
