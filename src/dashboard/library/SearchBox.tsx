/** The search over everything. `/` goes there from anywhere on the page, Escape empties it, the arrow down leads to what was found. */
import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent as Press } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Icon } from '../ui/Icon.tsx'
import styles from './SearchBox.module.css'

/** Searches when a person pauses: requests for single letters would be wasted. */
const PAUSE_MS = 200

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]') !== null

type Props = { value: string, onChange (text: string): void, onLeave (): void }

export function SearchBox ({ value, onChange, onLeave }: Props) {
  const { t } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const sent = useRef(value)

  // The address may change by itself: the back button, a link.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])

  useEffect(() => {
    const next = text.trim()
    if (next === sent.current) return
    const timer = setTimeout(() => {
      sent.current = next
      onChange(next)
    }, PAUSE_MS)
    return () => { clearTimeout(timer) }
  }, [text, onChange])

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      input.current?.select()
      input.current?.focus()
    }
    document.addEventListener('keydown', focus)
    return () => { document.removeEventListener('keydown', focus) }
  }, [])

  function key (event: Press): void {
    if (event.key === 'ArrowDown') onLeave()
    else if (event.key === 'Escape' && text !== '') setText('')
    else return
    event.preventDefault()
  }
  function clear (): void {
    setText('')
    input.current?.focus()
  }

  // The browser's own field: that of React Aria would be a fiftieth of the first load.
  return (
    <div className={styles['search']}>
      <span className={styles['icon']}><Icon name='search' /></span>
      <input
        ref={input} type='search' className={styles['input']} aria-label={t('library.search')} placeholder={t('library.search')}
        maxLength={200} value={text} onChange={({ target }) => { setText(target.value) }} onKeyDown={key}
      />
      {text === ''
        ? <kbd className={styles['key']} aria-hidden='true'>/</kbd>
        : (
          <button type='button' className={styles['clear']} tabIndex={-1} aria-label={t('library.clearSearch')} onClick={clear}>
            <Icon name='close' />
          </button>
          )}
    </div>
  )
}
