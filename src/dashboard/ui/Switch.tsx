/** A setting that is on or off at once. */
import { Switch as AriaSwitch } from 'react-aria-components'
import styles from './Switch.module.css'

type Props = { label: string, isOn: boolean, onChange (isOn: boolean): void, isDisabled?: boolean }

export function Switch ({ label, isOn, onChange, isDisabled = false }: Props) {
  return (
    <AriaSwitch isSelected={isOn} onChange={onChange} isDisabled={isDisabled} className={styles['switch'] ?? ''}>
      <span className={styles['track']} aria-hidden='true' />{label}
    </AriaSwitch>
  )
}
