/**
 * What the appliance says, in the language of the page. It answers in English; the page knows the sentences that people meet, and shows
 * the others as they are.
 */

/** By the sentence of the appliance, with `{names}` where it fills something in. Where several fit, the first one counts. */
export type Sentences = Readonly<Record<string, string>>

/** Before a rule that a field breaks, as in `url: has no visible characters`. */
const FIELD = /^(?:[A-Za-z]\w*(?:\.[\w.]+)?: )?/
const HOLE = /\{(\w+)\}/

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** `{name}` becomes a group of that name. */
const toPattern = (text: string): RegExp =>
  new RegExp(`^${text.split(HOLE).map((part, index) => index % 2 === 1 ? `(?<${part}>.+)` : escape(part)).join('')}$`, 's')

/** Translates sentences of the appliance; what it does not know stays as it is. */
export function createSay (sentences: Sentences): (sentence: string) => string {
  const patterns = Object.entries(sentences).flatMap(([from, to]) => HOLE.test(from) ? [[toPattern(from), to] as const] : [])

  function translate (sentence: string): string | undefined {
    if (Object.hasOwn(sentences, sentence)) return sentences[sentence]
    for (const [pattern, to] of patterns) {
      const values = pattern.exec(sentence)?.groups
      if (values) return to.replace(/\{(\w+)\}/g, (hole: string, name: string) => values[name] ?? hole)
    }
    return undefined
  }

  /** Reasons why a model cannot be used have no full stop; some replies end them with one. */
  function translateReason (sentence: string): string | undefined {
    const reason = sentence.endsWith('.') ? translate(sentence.slice(0, -1)) : undefined
    return reason === undefined ? undefined : `${reason}.`
  }

  return (sentence) => {
    const [field = ''] = FIELD.exec(sentence) ?? []
    const rule = translate(sentence.slice(field.length))
    return translateReason(sentence) ?? translate(sentence) ?? (rule === undefined ? sentence : field + rule)
  }
}
