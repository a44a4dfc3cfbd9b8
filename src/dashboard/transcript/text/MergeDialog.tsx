/** Two people have changed one segment: shows both texts, and asks which one is right. */
import { useState } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { mergeTexts } from '../model/merge.ts'
import { Changes } from './Changes.tsx'
import styles from './Merge.module.css'
import { shownText, useEditsState } from './use-edits.ts'
import type { Conflict, Edits } from './use-edits.ts'

function Choices ({ conflict, edits }: { conflict: Conflict, edits: Edits }) {
  const { t } = useTexts()
  const { segment, draft } = conflict
  const theirs = shownText(segment)
  const merged = mergeTexts(draft.seen, draft.text.trim(), theirs)
  const [text, setText] = useState(merged.text)
  return (
    <>
      <p>{t('transcript.mergeDetail')}</p>
      <div className={styles['both']}>
        <section><h3>{t('transcript.mine')}</h3><Changes before={draft.seen} after={draft.text.trim()} /></section>
        <section><h3>{t('transcript.theirs')}</h3><Changes before={draft.seen} after={theirs} /></section>
      </div>
      <Field
        label={t('transcript.merged')} rows={3} value={text} onChange={setText}
        hint={merged.isClean ? t('transcript.mergedClean') : t('transcript.mergedConflict')}
      />
      <DialogButtons>
        <Button kind='quiet' onPress={() => { edits.postpone() }}>{t('transcript.decideLater')}</Button>
        <Button onPress={() => { edits.resolve(conflict, undefined) }}>{t('transcript.keepTheirs')}</Button>
        <Button onPress={() => { edits.resolve(conflict, draft.text) }}>{t('transcript.keepMine')}</Button>
        <Button kind='primary' onPress={() => { edits.resolve(conflict, text) }}>{t('transcript.saveMerged')}</Button>
      </DialogButtons>
    </>
  )
}

export function MergeDialog ({ edits }: { edits: Edits }) {
  const { t } = useTexts()
  const { conflict } = useEditsState(edits)
  return (
    <Dialog title={t('transcript.mergeTitle')} isOpen={conflict !== undefined} onClose={() => { edits.postpone() }} isWide>
      {conflict && <Choices key={`${conflict.segment.id} ${conflict.segment.revision}`} conflict={conflict} edits={edits} />}
    </Dialog>
  )
}
