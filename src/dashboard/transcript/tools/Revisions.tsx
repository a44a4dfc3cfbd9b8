/** The changes of a transcript, newest first; each can be undone. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { useFormats } from '../../ui/formats.ts'
import { More } from '../../ui/More.tsx'
import { revisionsQuery } from '../model/calls.ts'
import type { Revision } from '../model/calls.ts'
import { Changes } from '../text/Changes.tsx'
import styles from './Tools.module.css'

type Props = { id: number, isOpen: boolean, onClose (): void, onUndo (revision: number): void }

function Entry ({ revision, onUndo }: { revision: Revision, onUndo: Props['onUndo'] }) {
  const { t } = useTexts()
  const { moment } = useFormats()
  return (
    <li>
      <div>
        {t(`transcript.revision.${revision.kind}`, { count: revision.segments })}{' '}
        <span className={styles['when']}>{moment(revision.at)}</span>
      </div>
      {!revision.undone && (
        <Button
          kind='quiet' aria-label={t('transcript.undoRevision', { number: revision.number })} onPress={() => { onUndo(revision.number) }}
        >{t('app.undo')}
        </Button>
      )}
      {revision.before !== undefined && revision.after !== undefined &&
        <Changes before={revision.before.trim()} after={revision.after.trim()} />}
    </li>
  )
}

function List ({ id, onUndo }: Pick<Props, 'id' | 'onUndo'>) {
  const { t } = useTexts()
  const query = useInfiniteQuery(revisionsQuery(id))
  const revisions = query.data?.pages.flatMap(({ data }) => data)
  if (query.error && !revisions) return <p role='alert'>{query.error.message}</p>
  if (revisions?.length === 0) return <p>{t('transcript.noRevisions')}</p>
  return (
    <>
      <ul className={styles['revisions']}>
        {revisions?.map((revision) => <Entry key={revision.number} revision={revision} onUndo={onUndo} />)}
      </ul>
      {query.error && <p role='alert'>{query.error.message}</p>}
      <More query={query} label={t('transcript.olderRevisions')} />
    </>
  )
}

export function Revisions ({ id, isOpen, onClose, onUndo }: Props) {
  const { t } = useTexts()
  return (
    <Dialog title={t('transcript.history')} isOpen={isOpen} onClose={onClose} isWide>
      <p className={styles['quiet']}>{t('transcript.historyDetail')}</p>
      <List id={id} onUndo={onUndo} />
      <DialogButtons><Button onPress={onClose}>{t('app.close')}</Button></DialogButtons>
    </Dialog>
  )
}
