/** Asks before an action that cannot be undone. Stays open while the action runs, and shows why it was refused. */
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Button } from './Button.tsx'
import { Dialog, DialogButtons } from './Dialog.tsx'
import { Fault } from './Fault.tsx'

type Props = {
  title: string
  /** What will happen. */
  children: ReactNode
  /** The words on the button that does it. */
  action: string
  onConfirm (): Promise<unknown>
  onClose (): void
}

export function Confirm ({ title, children, action, onConfirm, onClose }: Props) {
  const { t } = useTexts()
  const confirmation = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog title={title} isOpen onClose={onClose} isAlert>
      {children}
      <Fault error={confirmation.error} />
      <DialogButtons>
        <Button onPress={onClose} autoFocus>{t('app.cancel')}</Button>
        <Button kind='danger' isPending={confirmation.isPending} onPress={() => { confirmation.mutate() }}>{action}</Button>
      </DialogButtons>
    </Dialog>
  )
}
