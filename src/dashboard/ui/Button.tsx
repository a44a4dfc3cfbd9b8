/** A button. `kind`: primary for the one action a view is for, danger for what cannot be undone, quiet without a border. */
import { Button as AriaButton } from 'react-aria-components'
import type { ButtonProps } from 'react-aria-components'
import styles from './Button.module.css'

type Kind = 'plain' | 'primary' | 'danger' | 'quiet' | 'icon'

export function Button ({ kind = 'plain', ...props }: Omit<ButtonProps, 'className' | 'style'> & { kind?: Kind }) {
  return <AriaButton {...props} className={`${styles['button']} ${styles[kind]}`} />
}
