/** A dialog with the options for the recordings that are added next. */
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogButtons } from '../ui/Dialog.tsx'
import { Form } from '../ui/Form.tsx'
import { isAutomatic } from './next-options.ts'
import { fromDraft, toDraft } from './option-draft.ts'
import { OptionFields, useOptionDraft } from './OptionFields.tsx'
import styles from './Options.module.css'

function OptionsForm ({ onClose }: { onClose (): void }) {
  const { t } = useTexts()
  const { draft, setDraft, faults, keep } = useOptionDraft()
  return (
    <Form onSubmit={() => { if (keep()) onClose() }}>
      <p className={styles['detail']}>{t('options.detail')}</p>
      <OptionFields draft={draft} faults={faults} onChange={setDraft} />
      <DialogButtons>
        <span className={styles['reset']}>
          <Button kind='quiet' isDisabled={isAutomatic(fromDraft(draft))} onPress={() => { setDraft(toDraft({})) }}>
            {t('options.reset')}
          </Button>
        </span>
        <Button kind='quiet' onPress={onClose}>{t('app.cancel')}</Button>
        <Button kind='primary' type='submit'>{t('app.save')}</Button>
      </DialogButtons>
    </Form>
  )
}

export function OptionsDialog ({ onClose }: { onClose (): void }) {
  const { t } = useTexts()
  return <Dialog title={t('options.title')} isOpen onClose={onClose}><OptionsForm onClose={onClose} /></Dialog>
}
