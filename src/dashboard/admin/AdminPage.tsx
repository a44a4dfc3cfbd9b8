/** Administration of the appliance, in sections. The appliance refuses all of it to accounts that are no administrators. */
import { getRouteApi } from '@tanstack/react-router'
import { useAccount } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Message } from '../ui/Message.tsx'
import { Sections } from '../ui/Sections.tsx'
import type { Section } from '../ui/Sections.tsx'
import { FailedSection } from './FailedSection.tsx'
import { LogSection } from './LogSection.tsx'
import { ModelsSection } from './ModelsSection.tsx'
import { OwnersSection } from './OwnersSection.tsx'
import { PlansSection } from './PlansSection.tsx'
import { QueueSection } from './QueueSection.tsx'
import { SystemSection } from './SystemSection.tsx'

const SECTIONS: readonly Section[] = [
  { id: 'system', text: 'admin.system', Content: SystemSection },
  { id: 'owners', text: 'admin.owners', Content: OwnersSection },
  { id: 'plans', text: 'admin.plans', Content: PlansSection },
  { id: 'queue', text: 'admin.queue', Content: QueueSection },
  { id: 'failed', text: 'admin.failed', Content: FailedSection },
  { id: 'models', text: 'admin.models', Content: ModelsSection },
  { id: 'log', text: 'admin.log', Content: LogSection }
]
const route = getRouteApi('/signedIn/administration/$section')

export function AdminPage () {
  const { t } = useTexts()
  const account = useAccount()
  const { section } = route.useParams()
  if (account !== undefined && account.role !== 'administrator') {
    return <Message title={t('admin.refused')} detail={t('admin.refusedDetail')} />
  }
  return (
    <Sections
      title={t('app.administration')} label={t('admin.sections')} to='/administration/$section' sections={SECTIONS} openId={section}
    />
  )
}
