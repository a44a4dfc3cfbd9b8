/** Says with which options the next recordings are added, so that nobody is surprised. */
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { useFormats } from '../ui/formats.ts'
import { isAutomatic, useNextOptions } from './next-options.ts'
import type { NextOptions } from './next-options.ts'
import styles from './Options.module.css'

/** The options in a few words, as "German, 2 speakers". */
export function useOptionText (): (next: NextOptions) => string {
  const { t, language } = useTexts()
  const { languageName } = useFormats()
  return (next) => {
    const { quality, channels, speakers, terms } = next
    if (isAutomatic(next)) return t('options.automatic')
    const words = [
      next.language === undefined ? '' : languageName(next.language),
      quality === undefined ? '' : t(`options.short.${quality}`),
      speakers === undefined ? '' : speakers === false ? t('options.short.noSpeakers') : t('options.short.speakers', { count: speakers }),
      channels === undefined ? '' : t(`options.short.${channels}`),
      terms === undefined ? '' : t('options.short.words', { count: terms.length })
    ]
    return new Intl.ListFormat(language, { type: 'unit' }).format(words.filter((word) => word !== ''))
  }
}

/** Without `onChange`, it only says so. */
export function NextLine ({ onChange }: { onChange?: () => void }) {
  const { t } = useTexts()
  const text = t('options.next', { choices: useOptionText()(useNextOptions()) })
  if (!onChange) return <span>{text}</span>
  return (
    <div className={styles['next']}>
      <span role='status'>{text}</span>
      <Button kind='quiet' onPress={onChange} aria-label={t('options.changeNext')}>{t('options.change')}</Button>
    </div>
  )
}
