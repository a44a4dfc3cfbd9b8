/** The filters of the search, as fields. They count when they are applied, all at once, so that one step back undoes them. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useAccount } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { LANGUAGE_CODES } from '../recordings/languages.ts'
import { recordingsQuery } from '../recordings/recordings.ts'
import { SPEAKER_LABEL } from '../recordings/speaker-text.ts'
import { Button } from '../ui/Button.tsx'
import { Choice } from '../ui/Choice.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { useFormats } from '../ui/formats.ts'
import { Suggest } from '../ui/Suggest.tsx'
import styles from './FiltersDialog.module.css'
import { FILTERS, NO_FILTERS, readFilter, toSource } from './search-filter.ts'
import type { FilterName } from './search-filter.ts'
import type { LibrarySearch, SearchChange } from './search-params.ts'

/** An empty field filters nothing. */
type Draft = Record<FilterName, string>

/** Longer lists are no help. */
const MOST_SUGGESTED = 200

const toDraft = (search: LibrarySearch): Draft => {
  const filter = readFilter(search)
  return Object.fromEntries(FILTERS.map((name) => [name, filter[name] ?? ''])) as Draft
}

function toChange (draft: Draft): SearchChange {
  const texts = FILTERS.map((name) => ({ name, text: draft[name].trim() }))
  return Object.fromEntries(texts.map(({ name, text }) => [name, text === '' ? undefined : name === 'source' ? toSource(text) : text]))
}

/** What there is to choose from, as far as the list of recordings was read; labels such as "Speaker 1" are no names. */
function useKnown (chosen: string) {
  const { data, hasNextPage } = useInfiniteQuery(recordingsQuery({}))
  return useMemo(() => {
    const recordings = data?.pages.flatMap((page) => page.data) ?? []
    const pick = (values: readonly string[]): string[] => [...new Set(values)].slice(0, MOST_SUGGESTED)
    const heard = [...recordings.flatMap(({ language }) => language ?? []), ...(chosen === '' ? [] : [chosen])]
    return {
      languages: data === undefined || hasNextPage ? LANGUAGE_CODES : pick(heard),
      speakers: pick(recordings.flatMap(({ speakers }) => speakers.filter((name) => !SPEAKER_LABEL.test(name)))),
      sources: pick(recordings.flatMap(({ sourceUrl }) => sourceUrl ?? []))
    }
  }, [data, hasNextPage, chosen])
}

type Props = { search: LibrarySearch, onChange (change: SearchChange): void, onClose (): void }

function FilterForm ({ search, onChange, onClose }: Props) {
  const { t, language } = useTexts()
  const { languageName } = useFormats()
  const hasSpeakers = useAccount()?.diarization === true
  const [draft, setDraft] = useState(() => toDraft(search))
  const [areFaultsShown, showFaults] = useState(false)
  const known = useKnown(draft.language)
  const languages = known.languages
    .map((value) => ({ value, text: languageName(value) }))
    .sort((a, b) => a.text.localeCompare(b.text, language))
  const set = (name: FilterName) => (value: string): void => { setDraft((before) => ({ ...before, [name]: value })) }
  const isUnset = Object.keys(readFilter(search)).length === 0
  const isReversed = draft.from !== '' && draft.to !== '' && draft.to < draft.from

  function apply (change: SearchChange): void {
    onChange(change)
    onClose()
  }
  return (
    <Form onSubmit={() => { if (isReversed) showFaults(true); else apply(toChange(draft)) }}>
      <Choice
        label={t('library.language')} value={draft.language} onChange={set('language')}
        options={[{ value: '', text: t('library.allLanguages') }, ...languages]}
      />
      {(hasSpeakers || draft.speaker !== '') &&
        <Suggest
          label={t('search.speaker')} hint={t('search.speakerHint')} value={draft.speaker} onChange={set('speaker')} maxLength={200}
          suggestions={known.speakers}
        />}
      <div className={styles['days']}>
        <Field type='date' label={t('search.from')} value={draft.from} onChange={set('from')} />
        <Field
          type='date' label={t('search.to')} value={draft.to} onChange={set('to')}
          fault={areFaultsShown && isReversed ? t('search.daysWrong') : undefined}
        />
      </div>
      <Suggest
        label={t('search.source')} hint={t('search.sourceHint')} value={draft.source} onChange={set('source')} maxLength={2048}
        suggestions={known.sources}
      />
      <DialogButtons>
        <Button kind='quiet' isDisabled={isUnset} onPress={() => { apply(NO_FILTERS) }}>{t('search.removeAll')}</Button>
        <Button kind='primary' type='submit'>{t('search.apply')}</Button>
      </DialogButtons>
    </Form>
  )
}

export function FiltersDialog (props: Props) {
  const { t } = useTexts()
  return <Dialog title={t('search.filters')} isOpen onClose={props.onClose}><FilterForm {...props} /></Dialog>
}
