/** The settings of the person who is signed in, in sections. */
import { getRouteApi } from '@tanstack/react-router'
import { useTexts } from '../i18n/index.tsx'
import { Sections } from '../ui/Sections.tsx'
import type { Section } from '../ui/Sections.tsx'
import { AccountSection } from './AccountSection.tsx'
import { AppearanceSection } from './AppearanceSection.tsx'
import { ConnectionsSection } from './ConnectionsSection.tsx'
import { KeysSection } from './KeysSection.tsx'
import { LanguageSection } from './LanguageSection.tsx'
import { RetentionSection } from './RetentionSection.tsx'
import { UsageSection } from './UsageSection.tsx'
import { VocabularySection } from './VocabularySection.tsx'
import { WebhooksSection } from './WebhooksSection.tsx'

const SECTIONS: readonly Section[] = [
  { id: 'api', text: 'settings.keys', Content: KeysSection },
  { id: 'webhooks', text: 'settings.webhooks', Content: WebhooksSection },
  { id: 'connections', text: 'settings.connections', Content: ConnectionsSection },
  { id: 'usage', text: 'settings.usage', Content: UsageSection },
  { id: 'vocabulary', text: 'settings.vocabulary', Content: VocabularySection },
  { id: 'retention', text: 'settings.retention', Content: RetentionSection },
  { id: 'appearance', text: 'settings.appearance', Content: AppearanceSection },
  { id: 'language', text: 'settings.language', Content: LanguageSection },
  { id: 'account', text: 'settings.account', Content: AccountSection }
]
const route = getRouteApi('/signedIn/settings/$section')

export function SettingsPage () {
  const { t } = useTexts()
  const { section } = route.useParams()
  return <Sections title={t('app.settings')} label={t('settings.sections')} to='/settings/$section' sections={SECTIONS} openId={section} />
}
