/**
 * Sign-in over an open page whose session has ended. The page stays as it is, with everything that was typed. Another person who signs in
 * gets a page of their own.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { sessionQuery } from '../api/session.ts'
import type { Session } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { resumeUploads } from '../recordings/upload-list.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { SignInForm } from './SignInForm.tsx'

export function SignInDialog () {
  const { t } = useTexts()
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const last = useRef<Session>(undefined)
  if (session) last.current = session

  async function goOn (next: Session): Promise<void> {
    if (last.current && last.current.account.id !== next.account.id) {
      location.assign('/')
      return
    }
    queries.setQueryData(sessionQuery.queryKey, next)
    resumeUploads()
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  }

  return (
    <Dialog title={t('account.sessionEnded')} isOpen={session === null} isDismissable={false} onClose={() => {}}>
      <p>{t('account.sessionEndedHint')}</p>
      <SignInForm
        knownName={last.current?.account.name} next={location.pathname + location.search} providerHint={t('account.providerLeaves')}
        onDone={(next) => { inBackground(goOn(next)) }}
      />
    </Dialog>
  )
}
