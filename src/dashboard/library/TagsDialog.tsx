/** Adds tags to a recording and takes them away. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button as AriaButton, Label, Tag, TagGroup, TagList } from 'react-aria-components'
import { useTexts } from '../i18n/index.tsx'
import { changeRecording, nameOf, tagsQuery } from '../recordings/recordings.ts'
import type { Recording } from '../recordings/recordings.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { inBackground } from '../ui/Notices.tsx'
import styles from './Tags.module.css'

const MOST_TAGS = 20
const SUGGESTED = 8
const isSame = (a: string, b: string): boolean => a.toLocaleLowerCase() === b.toLocaleLowerCase()

function TagsForm ({ recording, onClose }: { recording: Recording, onClose (): void }) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const known = useQuery(tagsQuery).data ?? []
  const [tags, setTags] = useState(recording.tags)
  const [typed, setTyped] = useState('')

  /** A comma ends a tag, as Enter does. */
  const withTyped = (text: string, before = tags): string[] => text.split(',').map((one) => one.trim()).reduce((all, one) =>
    one === '' || all.some((other) => isSame(one, other)) || all.length >= MOST_TAGS ? all : [...all, one.slice(0, 40)], before)
  const suggestions = known.filter(({ name }) => !tags.some((one) => isSame(one, name))).slice(0, SUGGESTED)

  const addTyped = (text: string): void => {
    setTags(withTyped(text))
    setTyped('')
  }
  const save = (): void => {
    onClose()
    inBackground(changeRecording(queries, recording.id, { tags: withTyped(typed) }))
  }
  // Enter adds what is typed; without it, it saves.
  const submit = (): void => { if (typed.trim() === '') save(); else addTyped(typed) }
  const type = (text: string): void => { if (text.includes(',')) addTyped(text); else setTyped(text) }

  return (
    <Form onSubmit={submit}>
      {tags.length > 0 &&
        <TagGroup className={styles['group'] ?? ''} onRemove={(keys) => { setTags(tags.filter((tag) => !keys.has(tag))) }}>
          <Label className='visually-hidden'>{t('library.tagsOf', { name: nameOf(recording) })}</Label>
          <TagList className={styles['tags'] ?? ''}>
            {tags.map((tag) => (
              <Tag key={tag} id={tag} textValue={tag} className={styles['tag'] ?? ''}>
                <span dir='auto'>{tag}</span>
                <AriaButton slot='remove' className={styles['remove'] ?? ''} aria-label={t('library.removeTag', { tag })}>
                  <Icon name='close' />
                </AriaButton>
              </Tag>
            ))}
          </TagList>
        </TagGroup>}
      <Field label={t('library.newTag')} hint={t('library.newTagHint')} value={typed} onChange={type} autoFocus maxLength={200} />
      {suggestions.length > 0 &&
        <div className={styles['suggestions']} role='group' aria-label={t('library.knownTags')}>
          {suggestions.map(({ name }) => (
            <Button key={name} kind='quiet' onPress={() => { setTags(withTyped(name)) }}>
              <Icon name='plus' /><span dir='auto'>{name}</span>
            </Button>
          ))}
        </div>}
      <DialogButtons>
        <Button kind='quiet' onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' onPress={save}>{t('app.save')}</Button>
      </DialogButtons>
    </Form>
  )
}

export function TagsDialog ({ recording, onClose }: { recording: Recording | undefined, onClose (): void }) {
  const { t } = useTexts()
  return (
    <Dialog title={t('library.editTags')} isOpen={recording !== undefined} onClose={onClose}>
      {recording && <TagsForm recording={recording} onClose={onClose} />}
    </Dialog>
  )
}
