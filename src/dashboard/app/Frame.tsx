/** The frame of every page that needs a session: the main menu and the content. */
import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { inBackground } from '../ui/Notices.tsx'
import styles from './Frame.module.css'
import { useAccount } from '../api/session.ts'

export function Frame () {
  const { t } = useTexts()
  const account = useAccount()
  const queries = useQueryClient()
  const navigate = useNavigate()

  async function signOut (): Promise<void> {
    await take(api.DELETE('/api/v1/session'))
    // Nothing of this person may stay for the next one.
    queries.clear()
    await navigate({ to: '/sign-in' })
  }

  return (
    <>
      <a className={styles['skip']} href='#content'>{t('app.skip')}</a>
      <header className={styles['header']}>
        <Link to='/' className={styles['brand']}><img src='/icon.svg' alt='' width='24' height='24' />{t('app.name')}</Link>
        <nav aria-label={t('app.menu')} className={styles['menu']}>
          <Link to='/' activeOptions={{ exact: true, includeSearch: false }}>{t('app.library')}</Link>
          <Link to='/settings/$section' params={{ section: 'api' }}>{t('app.settings')}</Link>
          {account?.role === 'administrator' &&
            <Link to='/administration/$section' params={{ section: 'system' }}>{t('app.administration')}</Link>}
        </nav>
        <span className={styles['account']}>{account?.name}</span>
        <Button kind='quiet' onPress={() => { inBackground(signOut()) }}>{t('app.signOut')}</Button>
      </header>
      <main id='content' className={styles['content']} tabIndex={-1}><Outlet /></main>
    </>
  )
}
