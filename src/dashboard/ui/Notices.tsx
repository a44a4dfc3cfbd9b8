/** Short messages at the edge of the page, read out by screen readers: saved, deleted (with undo), failed. */
import {
  Text, UNSTABLE_Toast as Toast, UNSTABLE_ToastContent as ToastContent, UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion
} from 'react-aria-components'
import { useTexts } from '../i18n/index.tsx'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import styles from './Notices.module.css'

type Notice = { text: string, kind: 'done' | 'failed', action?: { label: string, run (): void } }
const queue = new ToastQueue<Notice>({ maxVisibleToasts: 3 })
const SHOWN_MS = 6000

/**
 * Shows a message. Messages of failures stay until they are closed. Returns a function that removes the message. `onGone` is called when
 * the message has disappeared, by itself or because a person closed it.
 */
export function notify (notice: Notice, options: { shownMs?: number, onGone?: () => void } = {}): () => void {
  const timeout = notice.kind === 'failed' ? undefined : options.shownMs ?? SHOWN_MS
  const key = queue.add(notice, { ...(timeout === undefined ? {} : { timeout }), ...(options.onGone ? { onClose: options.onGone } : {}) })
  return () => { queue.close(key) }
}

/** Shows why something failed. */
export function notifyOf (error: unknown): void {
  notify({ kind: 'failed', text: error instanceof Error ? error.message : String(error) })
}

/** Removes all messages, without calling their `onGone`. */
export function clearNotices (): void {
  queue.clear()
}

/** For tasks that nothing else waits for: shows why they failed. */
export function inBackground (task: Promise<unknown>): void {
  task.catch(notifyOf)
}

export function Notices () {
  const { t } = useTexts()
  // No aria-label: React Aria names the region by the number of notices, in our languages. It looks for the region only when that name
  // changes, so with a fixed name F6 would not find it.
  return (
    <ToastRegion queue={queue} className={styles['region'] ?? ''}>
      {({ toast }) => (
        <Toast toast={toast} className={`${styles['notice']} ${styles[toast.content.kind]}`}>
          <ToastContent className={styles['text'] ?? ''}><Text slot='title'>{toast.content.text}</Text></ToastContent>
          {toast.content.action &&
            <Button kind='quiet' onPress={() => { toast.content.action?.run(); queue.close(toast.key) }}>
              {toast.content.action.label}
            </Button>}
          <Button kind='icon' slot='close' aria-label={t('app.close')}><Icon name='close' /></Button>
        </Toast>
      )}
    </ToastRegion>
  )
}
