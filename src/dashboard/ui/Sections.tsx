/** A page of sections: a side list of them, which is a row on narrow screens, and the one that is open. */
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { ComponentType } from 'react'
import { useTexts } from '../i18n/index.tsx'
import type { TextKey } from '../i18n/index.tsx'
import { Message } from './Message.tsx'
import styles from './Sections.module.css'
import { useTitle } from './title.ts'

export type Section = { id: string, text: TextKey, Content: ComponentType }

type Props = {
  title: string
  /** The name of the list for screen readers. */
  label: string
  /** The address of a section. */
  to: '/settings/$section' | '/administration/$section'
  sections: readonly Section[]
  /** The id in the address, which may be none of theirs. */
  openId: string
}

export function Sections ({ title, label, to, sections, openId }: Props) {
  const { t } = useTexts()
  const open = sections.find(({ id }) => id === openId)
  useTitle(`${t(open?.text ?? 'app.notFound')} · ${title}`)
  const list = useRef<HTMLElement>(null)
  // On narrow screens the list is a row, and the open section may be beyond its end.
  useEffect(() => { list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }) }, [openId])
  return (
    <div className={styles['page']}>
      <div className={styles['side']}>
        <h1>{title}</h1>
        <nav ref={list} aria-label={label} className={styles['list']}>
          {sections.map(({ id, text }) => <Link key={id} to={to} params={{ section: id }}>{t(text)}</Link>)}
        </nav>
      </div>
      <div className={styles['content']}>{open ? <open.Content /> : <Message title={t('app.notFound')} />}</div>
    </div>
  )
}
