/** A button that opens a menu of actions. */
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import styles from './Choice.module.css'

export type Action = { id: string, text: string, run (): void, isDisabled?: boolean }
type Props = { label: string, children: ReactNode, actions: readonly Action[], kind?: 'plain' | 'quiet' | 'icon' | 'primary' }

/** `label` is the button's name for screen readers; `children` is what it shows. */
export function Menu ({ label, children, actions, kind = 'icon' }: Props) {
  return (
    <MenuTrigger>
      <Button kind={kind} aria-label={label}>{children}</Button>
      <Popover className={styles['popover'] ?? ''}>
        <AriaMenu className={styles['list'] ?? ''} disabledKeys={actions.flatMap(({ id, isDisabled }) => isDisabled ? [id] : [])}>
          {actions.map(({ id, text, run }) => (
            <MenuItem key={id} id={id} onAction={run} className={styles['item'] ?? ''}>{text}</MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}
