/** The fields of the options for new recordings. */
import { useMemo, useState } from 'react'
import { LONGEST_TERM, MOST_SPEAKERS, MOST_TERMS } from '../api/agreed.ts'
import { useAccount } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { Choice } from '../ui/Choice.tsx'
import { Field } from '../ui/Field.tsx'
import { useFormats } from '../ui/formats.ts'
import { LANGUAGE_CODES } from './languages.ts'
import { rememberNext, useNextOptions } from './next-options.ts'
import { AUTOMATIC, faultsOfDraft, fromDraft, toDraft } from './option-draft.ts'
import type { Draft, DraftFaults } from './option-draft.ts'

const QUALITIES = ['fast', 'balanced', 'accurate'] as const
const CHANNELS = ['auto', 'separate', 'mixed'] as const
const SPEAKERS = ['auto', 'exact', 'off'] as const

/** The options while they are changed. `keep` remembers them and returns them; undefined: a field is wrong, which then says so. */
export function useOptionDraft () {
  const next = useNextOptions()
  const [draft, setDraft] = useState(() => toDraft(next))
  const [areFaultsShown, showFaults] = useState(false)
  const found = faultsOfDraft(draft)
  const isWrong = Object.values(found).some(Boolean)
  return {
    draft,
    setDraft,
    faults: areFaultsShown ? found : {},
    keep () {
      showFaults(isWrong)
      if (isWrong) return undefined
      const chosen = fromDraft(draft)
      rememberNext(chosen)
      return chosen
    }
  }
}

type Props = { draft: Draft, faults: DraftFaults, onChange (draft: Draft): void }

export function OptionFields ({ draft, faults, onChange }: Props) {
  const { t, language } = useTexts()
  const { languageName } = useFormats()
  const hasSpeakers = useAccount()?.diarization === true
  const languages = useMemo(() => LANGUAGE_CODES
    .map((value) => ({ value, text: languageName(value) }))
    .sort((a, b) => a.text.localeCompare(b.text, language)), [languageName, language])
  const set = (change: Partial<Draft>): void => { onChange({ ...draft, ...change }) }
  return (
    <>
      <Choice
        label={t('options.language')} value={draft.language} onChange={(value) => { set({ language: value }) }}
        options={[{ value: AUTOMATIC, text: t('options.languageAuto') }, ...languages]}
      />
      <Choice
        label={t('options.quality')} value={draft.quality} onChange={(quality) => { set({ quality }) }}
        options={QUALITIES.map((value) => ({ value, text: t(`options.quality.${value}`) }))}
      />
      {hasSpeakers &&
        <Choice
          label={t('options.speakers')} value={draft.speakers} onChange={(speakers) => { set({ speakers }) }}
          options={SPEAKERS.map((value) => ({ value, text: t(`options.speakers.${value}`) }))}
        />}
      {hasSpeakers && draft.speakers === 'exact' &&
        <Field
          label={t('options.count')} value={draft.count} onChange={(count) => { set({ count }) }} inputMode='numeric' maxLength={2}
          fault={faults.count ? t('options.countWrong', { most: MOST_SPEAKERS }) : undefined}
        />}
      <Choice
        label={t('options.channels')} value={draft.channels} onChange={(channels) => { set({ channels }) }}
        options={CHANNELS.map((value) => ({ value, text: t(`options.channels.${value}`) }))}
      />
      <Field
        label={t('options.words')} value={draft.words} onChange={(words) => { set({ words }) }} rows={2} hint={t('options.wordsHint')}
        fault={faults.words ? t('options.wordsWrong', { most: MOST_TERMS, longest: LONGEST_TERM }) : undefined}
      />
    </>
  )
}
