/** Words that say nothing about a subject, in the languages in which most recordings are. Without diacritics. Pure. */

const ENGLISH = [
  'a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in into is it its me my no',
  'not of on or our ours she should so some such than that the their them then there these they this those to up us was we were what when',
  'where which who whom why will with would you your yours am about any don t s m re ve ll'
]

const OTHERS = [
  // Spanish
  'al como con cual cuando de del donde e el ella ellas ellos en era es esa ese eso esta este esto fue ha han hay la las le les lo los mas',
  'mi mis muy ni nos o para pero por porque que quien se ser si sin sobre son su sus te tu un una uno unos y ya yo',
  // German
  'aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser du ein eine einem einen einer er es fur hat',
  'haben hatte ich ihr ihre im in ist ja kann mit nach nicht noch nur oder sein sich sie sind so uber um und uns von war was wenn wer wie',
  'wir wird wo wurde zu zum zur',
  // French, Italian, Portuguese, Dutch
  'au aux avec ce ces cette dans des du elle est et il ils je les leur lui mais ne nous ou par pas pour qu que qui sa ses son sont sur une',
  'vous chi che con da dei del della di e gli ho il io le lo ma non per piu sono un una ao com das do dos em foi mais na nao no nas nos os',
  'ou pela pelo sao seu sua um uma aan dat de deze die dit een en er het hij hoe ik is met naar niet ook op te van voor wat wij ze zijn'
]

const toSet = (lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(' ').split(' '))
const ENGLISH_WORDS = toSet(ENGLISH)
const ALL_WORDS = toSet([...ENGLISH, ...OTHERS])

/**
 * True for such a word in lower case and without diacritics. `language`: of the text that has the word, as Whisper's code; undefined: any.
 * In English texts, `war`, `die` and `mit` say something.
 */
export const isStopWord = (word: string, language?: string): boolean => (language === 'en' ? ENGLISH_WORDS : ALL_WORDS).has(word)
