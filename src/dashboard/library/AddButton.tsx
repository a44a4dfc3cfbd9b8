/** Adds recordings: files, a folder, or an address. */
import { useRef } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { askForAddress } from '../recordings/AddAddress.tsx'
import { readChosen } from '../recordings/dropped-files.ts'
import { useAddFiles } from '../recordings/upload-list.ts'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Menu } from '../ui/Menu.tsx'

const TYPES = 'audio/*,video/*,.mkv,.m4b,.opus,.amr,.wma,.ape,.wv,.caf,.mts'

/** Invisible fields that open the browser's file dialogs. */
function useFileDialogs () {
  const addFiles = useAddFiles()
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const field = (ref: typeof files, name: string, more: object) => (
    <input
      ref={ref} type='file' multiple hidden data-testid={name} {...more}
      onChange={({ target }) => {
        if (target.files) addFiles(readChosen(target.files))
        // The same file may be chosen again.
        target.value = ''
      }}
    />
  )
  return {
    chooseFiles: () => files.current?.click(),
    chooseFolder: () => folder.current?.click(),
    fields: <>{field(files, 'files', { accept: TYPES })}{field(folder, 'folder', { webkitdirectory: '' })}</>
  }
}

/** Opens the browser's file dialog at once. */
export function ChooseFiles () {
  const { t } = useTexts()
  const { chooseFiles, fields } = useFileDialogs()
  return <><Button onPress={chooseFiles}>{t('library.addFiles')}</Button>{fields}</>
}

/** `onOptions`: somebody wants to choose how new recordings are transcribed. */
export function AddButton ({ onOptions }: { onOptions (): void }) {
  const { t } = useTexts()
  const { chooseFiles, chooseFolder, fields } = useFileDialogs()
  return (
    <>
      <Menu
        label={t('library.add')} kind='primary'
        actions={[
          { id: 'files', text: t('library.addFiles'), run: chooseFiles },
          { id: 'folder', text: t('library.addFolder'), run: chooseFolder },
          { id: 'address', text: t('library.addAddress'), run: () => { askForAddress() } },
          { id: 'options', text: t('library.addOptions'), run: onOptions }
        ]}
      >
        <Icon name='plus' />{t('library.add')}
      </Menu>
      {fields}
    </>
  )
}
