/** The language of the page; transcripts have their own. */
import { LANGUAGES, useTexts } from '../i18n/index.tsx'
import type { Language } from '../i18n/index.tsx'
import { Card } from '../ui/Card.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { Radios } from '../ui/Radios.tsx'

const NAMES = Object.entries(LANGUAGES) as Array<[Language, string]>

export function LanguageSection () {
  const { t, language, change } = useTexts()
  return (
    <Card title={t('settings.language')} detail={t('settings.language.detail')}>
      <Radios
        label={t('settings.language')} isLabelShown={false} value={language}
        options={NAMES.map(([value, text]) => ({ value, text, lang: value }))}
        onChange={(next) => { inBackground(change(next)) }}
      />
    </Card>
  )
}
