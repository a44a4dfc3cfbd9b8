/** Words that say nothing about a subject, in the languages in which most recordings are. Without diacritics. Pure. */

/** By the language's code, as Whisper has it. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  en: [
    'a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in into is it its me my no',
    'not of on or our ours she should so some such than that the their them then there these they this those to up us was we were what',
    'when where which who whom why will with would you your yours am about any don t s m re ve ll'
  ],
  es: [
    'a al como con cual cuando de del donde e el ella ellas ellos en era es esa ese eso esta este esto fue ha han hay la las le les lo los',
    'mas me mi mis muy ni no nos o para pero por porque que quien se ser si sin sobre son su sus te tu un una uno unos y ya yo'
  ],
  de: [
    'aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser du ein eine einem einen einer er es fur hat',
    'haben hatte ich ihr ihre im in ist ja kann mit nach nicht noch nur oder sein sich sie sind so uber um und uns von war was wenn wer',
    'wie will wir wird wo wurde zu zum zur'
  ],
  fr: [
    'a au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur lui mais me ne nous on ou par pas pour qu que qui s',
    'sa se ses si son sont sur t te tu un une vous y'
  ],
  it: ['a al che chi con da dei del della di e gli ha ho i il in io la le lo ma mi ne no non o per piu se si sono su te tu un una uno'],
  pt: [
    'a ao as com como da das de do dos e em era esta este foi mais me na nao no nas nos o os ou para pela pelo por que',
    'sao se ser seu sua te tu um uma'
  ],
  nl: ['aan als dat de deze die dit een en er het hij hoe ik in is je me met naar niet of ook op te van voor was wat we wij ze zijn']
}

const toSet = (lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(' ').split(' '))
const BY_LANGUAGE: ReadonlyMap<string, ReadonlySet<string>> =
  new Map(Object.entries(LINES).map(([language, lines]) => [language, toSet(lines)]))
const ALL = toSet(Object.values(LINES).flat())

/**
 * True for such a word in lower case and without diacritics. `language`: of the text that has the word; if it is undefined or not listed
 * here, the words of all languages count. In English texts, `war`, `die` and `mit` say something.
 */
export const isStopWord = (word: string, language = ''): boolean => (BY_LANGUAGE.get(language) ?? ALL).has(word)
