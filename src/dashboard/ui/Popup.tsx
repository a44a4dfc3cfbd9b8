/** A small dialog beside the button that opens it. Escape and a press outside close it; the focus then returns to the button. */
import { Suspense } from 'react'
import type { ReactNode } from 'react'
import { Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { useTexts } from '../i18n/index.tsx'
import { Button } from './Button.tsx'
import styles from './Popup.module.css'
import { Skeleton } from './Skeleton.tsx'

type Props = {
  /** The name of the dialog for screen readers. */
  label: string
  /** What the button shows. */
  button: ReactNode
  /** What the dialog shows; it may be code that is still to be loaded. */
  children (close: () => void): ReactNode
}

export function Popup ({ label, button, children }: Props) {
  const { t } = useTexts()
  return (
    <DialogTrigger>
      <Button>{button}</Button>
      <Popover className={styles['popup'] ?? ''} placement='bottom end'>
        <Dialog aria-label={label} className={styles['content'] ?? ''}>
          {({ close }) => <Suspense fallback={<Skeleton label={t('app.loading')} />}>{children(close)}</Suspense>}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
