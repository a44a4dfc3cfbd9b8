/** The settings of the person who is signed in, in sections. */
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { useTexts } from '../i18n/index.tsx'
import type { TextKey } from '../i18n/index.tsx'
import { Message } from '../ui/Message.tsx'
import { Sections } from '../ui/Sections.tsx'
import { AccountSection } from './AccountSection.tsx'
import { AppearanceSection } from './AppearanceSection.tsx'
import { ConnectionsSection } from './ConnectionsSection.tsx'
import { KeysSection } from './KeysSection.tsx'
import { LanguageSection } from './LanguageSection.tsx'
import { RetentionSection } from './RetentionSection.tsx'
import { UsageSection } from './UsageSection.tsx'
import { VocabularySection } from './VocabularySection.tsx'
import { WebhooksSection } from './WebhooksSection.tsx'

const SECTIONS: ReadonlyArray<{ id: string, text: TextKey, Content: ComponentType }> = [
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
  const open = SECTIONS.find(({ id }) => id === section)
  const links = SECTIONS.map(({ id, text }) => (
    <Link key={id} to='/settings/$section' params={{ section: id }}>{t(text)}</Link>
  ))
  return (
    <Sections title={t('app.settings')} current={t(open?.text ?? 'app.notFound')} label={t('settings.sections')} links={links}>
      {open ? <open.Content /> : <Message title={t('app.notFound')} />}
    </Sections>
  )
}
