/** Names and terms that transcripts should spell as they are written here. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button as AriaButton, Label, Tag, TagGroup, TagList } from 'react-aria-components'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Field } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { notify, notifyOf } from '../ui/Notices.tsx'
import styles from './settings.module.css'
import tags from './Tags.module.css'

const vocabularyQuery = queryOptions({
  queryKey: ['vocabulary'],
  queryFn: async () => (await take(api.GET('/api/v1/vocabulary'))).data.terms
})

/** Replaces the list. The page shows the new one at once, and the old one when the appliance refuses. */
function useTerms () {
  const queries = useQueryClient()
  const { queryKey } = vocabularyQuery
  return useMutation({
    mutationFn: async (terms: string[]) => (await take(api.PUT('/api/v1/vocabulary', { body: { terms } }))).data.terms,
    async onMutate (terms) {
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData(queryKey)
      queries.setQueryData(queryKey, terms)
      return { before }
    },
    onSuccess: (terms) => { queries.setQueryData(queryKey, terms) },
    onError: (_error, _terms, kept) => { queries.setQueryData(queryKey, kept?.before) }
  })
}

/** The terms of pasted lines, or of a line with commas. */
const toTerms = (text: string): string[] => text.split(/[,;\n]/).map((term) => term.trim()).filter((term) => term !== '')

export function VocabularySection () {
  const { t } = useTexts()
  const vocabulary = useQuery(vocabularyQuery)
  const { data: terms = [] } = vocabulary
  const [text, setText] = useState('')
  const change = useTerms()

  function add (): void {
    const added = toTerms(text).filter((term) => !terms.includes(term))
    // Emptied at once: what is typed while these are saved must stay.
    setText('')
    if (added.length > 0) change.mutate([...terms, ...added], { onError: () => { setText((typed) => typed === '' ? text : typed) } })
  }

  function remove (keys: ReadonlySet<string | number>): void {
    change.mutate(terms.filter((term) => !keys.has(term)), {
      onError: notifyOf,
      onSuccess: () => {
        const undo = { label: t('app.undo'), run: () => { change.mutate(terms, { onError: notifyOf }) } }
        notify({ kind: 'done', text: t('settings.vocabulary.removed', { count: keys.size }), action: undo })
      }
    })
  }

  return (
    <Card title={t('settings.vocabulary')} detail={t('settings.vocabulary.detail')}>
      <Form onSubmit={add}>
        <div className={styles['line']}>
          <Field
            label={t('settings.vocabulary.add')} hint={t('settings.vocabulary.hint')} value={text} onChange={setText}
            fault={change.error === null || text === '' ? undefined : change.error.message}
          />
        </div>
        <div>
          <Button kind='primary' type='submit' isPending={change.isPending}>
            <Icon name='plus' />{t('settings.vocabulary.addButton')}
          </Button>
        </div>
      </Form>
      <Loaded query={vocabulary}>
        {(list) => list.length === 0
          ? <Empty>{t('settings.vocabulary.none')}</Empty>
          : (
            <TagGroup onRemove={(keys) => { remove(keys as ReadonlySet<string>) }}>
              <Label className='visually-hidden'>{t('settings.vocabulary')}</Label>
              <TagList className={tags['list'] ?? ''}>
                {list.map((term) => (
                  <Tag key={term} id={term} textValue={term} className={tags['tag'] ?? ''}>
                    <span dir='auto'>{term}</span>
                    <AriaButton slot='remove' className={tags['remove'] ?? ''} aria-label={t('settings.vocabulary.remove', { term })}>
                      ×
                    </AriaButton>
                  </Tag>
                ))}
              </TagList>
            </TagGroup>
            )}
      </Loaded>
    </Card>
  )
}
