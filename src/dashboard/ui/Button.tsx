/** A button. `kind`: primary for the one action a view is for, danger for what cannot be undone, quiet without a border. */
import { Button as AriaButton } from 'react-aria-components'
import type { ButtonProps } from 'react-aria-components'
import styles from './Button.module.css'

type Kind = 'plain' | 'primary' | 'danger' | 'quiet' | 'icon'
type Props = Omit<ButtonProps, 'className' | 'style'> & { kind?: Kind }

/** It keeps the focus and does nothing. React Aria's own state would announce a progress bar, which our buttons do not have. */
const PENDING = { onPress: () => {}, type: 'button', 'aria-disabled': true } as const

export function Button ({ kind = 'plain', isPending = false, ...props }: Props) {
  return <AriaButton {...props} {...(isPending ? PENDING : {})} className={`${styles['button']} ${styles[kind]}`} />
}
