/** Rights in words: those of an OAuth grant, or all of them, which an API key has. */
import { useTexts } from '../i18n/index.tsx'
import { Icon } from '../ui/Icon.tsx'
import styles from './settings.module.css'

const SCOPES = ['transcripts:read', 'transcripts:write', 'transcripts:export', 'library:search', 'ai:transform'] as const
type Scope = typeof SCOPES[number]
const isKnown = (scope: string): scope is Scope => (SCOPES as readonly string[]).includes(scope)

export function ScopeList ({ scopes = SCOPES }: { scopes?: readonly string[] }) {
  const { t } = useTexts()
  return (
    <ul className={styles['scopes']}>
      {scopes.map((scope) => <li key={scope}><Icon name='check' />{isKnown(scope) ? t(`settings.scope.${scope}`) : scope}</li>)}
    </ul>
  )
}
