/** Whose page this is, where there is no menu that says so. */
import { BASE } from '../api/base.ts'
import { useTexts } from '../i18n/index.tsx'
import styles from './Brand.module.css'

export function Brand () {
  const { t } = useTexts()
  return <p className={styles['brand']}><img src={`${BASE}/icon.svg`} alt='' width='28' height='28' />{t('app.name')}</p>
}
