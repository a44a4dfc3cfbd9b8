/** A page of sections: a side list of them, which is a row on narrow screens, and the one that is open. */
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { useTitle } from './title.ts'
import styles from './Sections.module.css'

type Props = {
  title: string
  /** The name of the open section. */
  current: string
  /** The name of the list for screen readers. */
  label: string
  /** One link for each section. */
  links: ReactNode
  children: ReactNode
}

export function Sections ({ title, current, label, links, children }: Props) {
  useTitle(`${current} · ${title}`)
  const list = useRef<HTMLElement>(null)
  // On narrow screens the list is a row, and the open section may be beyond its end.
  useEffect(() => { list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }) }, [current])
  return (
    <div className={styles['page']}>
      <div className={styles['side']}>
        <h1>{title}</h1>
        <nav ref={list} aria-label={label} className={styles['list']}>{links}</nav>
      </div>
      <div className={styles['content']}>{children}</div>
    </div>
  )
}
