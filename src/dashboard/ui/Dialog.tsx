/** A dialog over the page. Escape and a press outside close it. */
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { keepFocus } from './focus.ts'
import styles from './Dialog.module.css'

type Props = {
  title: string
  isOpen: boolean
  onClose (): void
  children: ReactNode
  isWide?: boolean
  /** True if it asks about something that cannot be undone. */
  isAlert?: boolean
  /** False: only its buttons close it, because what it shows is shown once. */
  isDismissable?: boolean
}

/** What opened a dialog may be gone when it closes, such as the button of a deleted row; then the focus goes to the content of the page. */
function useFocusAfter (isOpen: boolean): void {
  useEffect(() => isOpen ? keepFocus : undefined, [isOpen])
}

export function Dialog ({ title, isOpen, onClose, children, isWide = false, isAlert = false, isDismissable = true }: Props) {
  useFocusAfter(isOpen)
  return (
    <ModalOverlay
      isOpen={isOpen} onOpenChange={(open) => { if (!open) onClose() }} isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable} className={styles['overlay'] ?? ''}
    >
      <Modal className={`${styles['modal']} ${isWide ? styles['wide'] : ''}`}>
        <AriaDialog className={styles['dialog'] ?? ''} role={isAlert ? 'alertdialog' : 'dialog'}>
          <Heading slot='title' level={2}>{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** The buttons at the end of a dialog. */
export function DialogButtons ({ children }: { children: ReactNode }) {
  return <div className={styles['buttons']}>{children}</div>
}
