/** A dialog over the page. Escape and a press outside close it, unless it is required. */
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import type { ReactNode } from 'react'
import styles from './Dialog.module.css'

type Props = { title: string, isOpen: boolean, children: ReactNode, isWide?: boolean } &
  ({ onClose (): void, isRequired?: false } | { isRequired: true })

export function Dialog ({ title, isOpen, children, isWide = false, ...rest }: Props) {
  return (
    <ModalOverlay
      isOpen={isOpen} onOpenChange={(open) => { if (!open && !rest.isRequired) rest.onClose() }} isDismissable={!rest.isRequired}
      isKeyboardDismissDisabled={rest.isRequired ?? false} className={styles['overlay'] ?? ''}
    >
      <Modal className={`${styles['modal']} ${isWide ? styles['wide'] : ''}`}>
        <AriaDialog className={styles['dialog'] ?? ''}>
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
