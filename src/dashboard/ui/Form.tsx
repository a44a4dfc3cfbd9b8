/** A form that is sent by Enter or by its button, without leaving the page. */
import { Form as AriaForm } from 'react-aria-components'
import type { ReactNode } from 'react'
import styles from './Form.module.css'

type Props = { label?: string, onSubmit (): void, children: ReactNode }

export function Form ({ label, onSubmit, children }: Props) {
  return (
    <AriaForm
      aria-label={label} className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
    </AriaForm>
  )
}
