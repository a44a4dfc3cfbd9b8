/** The frame of every page that needs a session: the main menu and the content. */
import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { SignInAgain } from '../account/SignInAgain.tsx'
import { BASE } from '../api/base.ts'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { clearNotices, inBackground } from '../ui/Notices.tsx'
import styles from './Frame.module.css'
import { unlessSignedOut, useAccount } from '../api/session.ts'
import { AddAddress } from '../recordings/AddAddress.tsx'
import { deleteWaiting } from '../recordings/deletion.ts'
import { DropTarget } from '../recordings/DropTarget.tsx'
import { useConnection, useEvents } from '../recordings/events.ts'
import { dropUploads, useFinishedUploads, useUploads } from '../recordings/upload-list.ts'
import { UploadPanel } from '../recordings/UploadPanel.tsx'

export function Frame () {
  const { t } = useTexts()
  const account = useAccount()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  /** The menu names the first section; the others are the same part of the page. */
  const currentIn = (part: string) => pathname.startsWith(part) ? 'page' as const : undefined
  const connection = useConnection()
  useEvents(account !== undefined)
  useFinishedUploads()
  const isUploading = useUploads().length > 0

  async function signOut (): Promise<void> {
    // Without a session it could not be deleted any more.
    await deleteWaiting(queries)
    await take(api.DELETE('/api/v1/session')).catch(unlessSignedOut)
    await navigate({ to: '/sign-in' })
    // Nothing of this person may stay for the next one.
    dropUploads()
    clearNotices()
    queries.clear()
    sessionStorage.clear()
  }

  return (
    <>
      <a className={styles['skip']} href='#content'>{t('app.skip')}</a>
      <header className={styles['header']}>
        <Link to='/' className={styles['brand']}><img src={`${BASE}/icon.svg`} alt='' width='24' height='24' />{t('app.name')}</Link>
        <nav aria-label={t('app.menu')} className={styles['menu']}>
          <Link to='/' activeOptions={{ exact: true, includeSearch: false }}>{t('app.library')}</Link>
          <Link to='/settings/$section' params={{ section: 'api' }} aria-current={currentIn('/settings/')}>{t('app.settings')}</Link>
          {account?.role === 'administrator' &&
            (
              <Link to='/administration/$section' params={{ section: 'system' }} aria-current={currentIn('/administration/')}>
                {t('app.administration')}
              </Link>
            )}
        </nav>
        <span className={styles['account']}>{account?.name}</span>
        <Button kind='quiet' onPress={() => { inBackground(signOut()) }}>{t('app.signOut')}</Button>
      </header>
      {connection === 'lost' && <p role='status' className={styles['offline']}>{t('app.offline')}</p>}
      <main id='content' className={styles['content']} tabIndex={-1}>
        {isUploading && <UploadPanel />}
        <Outlet />
      </main>
      <DropTarget />
      <AddAddress />
      <SignInAgain />
    </>
  )
}
