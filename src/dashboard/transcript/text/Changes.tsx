/** What was changed in a text: removed words struck through, added ones marked. */
import { diffWords } from '../model/merge.ts'
import styles from './Merge.module.css'

export function Changes ({ before, after }: { before: string, after: string }) {
  return (
    <p dir='auto' className={styles['changes']}>
      {diffWords(before, after).map(({ kind, text }, index) => {
        if (kind === 'same') return <span key={index}>{text}</span>
        return kind === 'added' ? <ins key={index}>{text}</ins> : <del key={index}>{text}</del>
      })}
    </p>
  )
}
