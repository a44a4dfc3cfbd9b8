/** Labels of speakers in the language of the page. */
import { useTexts } from '../i18n/index.tsx'

/** Of a speaker without a name. */
export const SPEAKER_LABEL = /^Speaker (\d+)$/

/** The name of a speaker as it is; a label such as "Speaker 1" in the language of the page. */
export function useSpeakerText (): (name: string) => string {
  const { t } = useTexts()
  return (name) => {
    const number = SPEAKER_LABEL.exec(name)?.[1]
    return number === undefined ? name : t('library.speaker', { number })
  }
}
