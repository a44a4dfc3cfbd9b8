/**
 * Sign-in over an open page whose session has ended. The page stays as it is, with everything that was typed. Another person who signs in
 * gets a page of their own.
 */
import { useQueryClient } from '@tanstack/react-query'
import { BASE } from '../api/base.ts'
import { sessionQuery } from '../api/session.ts'
import type { Session } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { resumeUploads } from '../recordings/upload-list.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { SignInForm } from './SignInForm.tsx'

/** `last`: the session that has ended. */
export function SignInDialog ({ last }: { last: Session | undefined }) {
  const { t } = useTexts()
  const queries = useQueryClient()

  async function goOn (next: Session): Promise<void> {
    if (last && last.account.id !== next.account.id) {
      location.assign(`${BASE}/`)
      return
    }
    queries.setQueryData(sessionQuery.queryKey, next)
    resumeUploads()
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  }

  return (
    <Dialog title={t('account.sessionEnded')} isOpen isDismissable={false} onClose={() => {}}>
      <p>{t('account.sessionEndedHint')}</p>
      <SignInForm
        knownName={last?.account.name} next={location.pathname.slice(BASE.length) + location.search}
        providerHint={t('account.providerLeaves')}
        onDone={(next) => { inBackground(goOn(next)) }}
      />
    </Dialog>
  )
}
