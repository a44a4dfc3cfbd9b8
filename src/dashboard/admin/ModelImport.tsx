/** Takes in the archive that `stenobox models export` wrote on a machine with a network. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DropZone, FileTrigger, Text } from 'react-aria-components'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Fault } from '../ui/Fault.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { inBackground, notify } from '../ui/Notices.tsx'
import { Progress } from '../ui/Progress.tsx'
import styles from './admin.module.css'
import { sendArchive } from './models.ts'

type Sending = { file: File, stop: AbortController }

export function ModelImport ({ onImported }: { onImported (): Promise<void> }) {
  const { t } = useTexts()
  const { share } = useFormats()
  const [sent, setSent] = useState(0)
  const [sending, setSending] = useState<Sending>()
  const archive = useMutation({
    mutationFn: async ({ file, stop }: Sending) => { await sendArchive(file, { onSent: setSent, signal: stop.signal }) },
    async onSuccess () {
      notify({ kind: 'done', text: t('admin.models.imported') })
      await onImported()
    },
    onSettled: () => { setSending(undefined) }
  })

  function begin (file: File | undefined): void {
    if (file === undefined || sending) return
    const next = { file, stop: new AbortController() }
    setSent(0)
    setSending(next)
    archive.mutate(next)
  }

  const isStopped = archive.error instanceof DOMException && archive.error.name === 'AbortError'
  return (
    <Card title={t('admin.models.import')} detail={t('admin.models.importDetail')}>
      <DropZone
        className={styles['drop'] ?? ''} isDisabled={sending !== undefined}
        getDropOperation={() => 'copy'}
        onDrop={({ items }) => {
          const dropped = items.find((item) => item.kind === 'file')
          if (dropped) inBackground(dropped.getFile().then(begin))
        }}
      >
        <Icon name='upload' />
        <Text slot='label'>{t('admin.models.drop')}</Text>
        <FileTrigger acceptedFileTypes={['.tar', 'application/x-tar']} onSelect={(files) => { begin(files?.[0]) }}>
          <Button isDisabled={sending !== undefined}>{t('admin.models.choose')}</Button>
        </FileTrigger>
      </DropZone>
      {sending && (
        <div className={styles['progress']}>
          <p dir='auto'>{t('admin.models.sending', { name: sending.file.name, share: share(sent) })}</p>
          <Progress label={t('admin.models.import')} share={sent} />
          <div><Button kind='quiet' onPress={() => { sending.stop.abort() }}>{t('app.cancel')}</Button></div>
        </div>
      )}
      <Fault error={isStopped ? undefined : archive.error} />
    </Card>
  )
}
