/** Words as they sound, roughly: words that speech recognition takes for each other are spelled alike. Pure. */

/** Letters that sound alike, in the order in which they are replaced. Made for names in Latin script; other letters stay as they are. */
const RULES: ReadonlyArray<readonly [RegExp, string]> = [
  [/ph/g, 'f'],
  [/x/g, 'ks'],
  [/t?s?ch|sh/g, 'x'],
  [/c(?=[eiy])/g, 's'],
  [/ck|kh|[cq]/g, 'k'],
  [/z/g, 's'],
  [/dg|d?j/g, 'g'],
  [/h/g, ''],
  // Vowels are confused most often.
  [/[aeiouyw]+/g, 'a'],
  [/(.)\1+/gu, '$1']
]

/** How a word sounds. `word`: in lower case, without diacritics. */
export const soundOf = (word: string): string => RULES.reduce((text, [letters, sound]) => text.replace(letters, sound), word)
