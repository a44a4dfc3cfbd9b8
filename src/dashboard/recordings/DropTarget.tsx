/**
 * Takes recordings from anywhere on the page: files, folders and addresses that are dropped or pasted. Fields keep what is pasted or
 * dropped into them.
 */
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Icon } from '../ui/Icon.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { askForAddress } from './AddAddress.tsx'
import { readAddress, readDropped } from './dropped-files.ts'
import { NextLine } from './LazyAdding.tsx'
import { isAutomatic, useNextOptions } from './next-options.ts'
import { useAddFiles } from './upload-list.ts'
import styles from './DropTarget.module.css'

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null
/** What people drag inside the page, such as selected text or links of our own, is no recording. */
const carriesFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true
const carriesAddress = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('text/uri-list') === true

export function DropTarget () {
  const { t } = useTexts()
  const [isOver, setOver] = useState(false)
  const addFiles = useAddFiles()
  const isPlain = isAutomatic(useNextOptions())
  const latest = useRef(addFiles)
  useEffect(() => { latest.current = addFiles })

  useEffect(() => {
    // Drags enter and leave every element on their way; the page is left when as many were left as entered. The count must outlive
    // a new rendering.
    let depth = 0
    let isOwn = false
    const concerns = (event: DragEvent): boolean => !isOwn && !isField(event.target) && (carriesFiles(event) || carriesAddress(event))
    const take = (transfer: DataTransfer): boolean => {
      const hasFiles = [...transfer.items].some(({ kind }) => kind === 'file')
      if (hasFiles) inBackground(readDropped(transfer).then((dropped) => { latest.current(dropped) }))
      const address = hasFiles ? undefined : readAddress(transfer)
      if (address !== undefined) askForAddress(address)
      return hasFiles || address !== undefined
    }
    const listeners: { [K in 'dragstart' | 'dragend' | 'dragenter' | 'dragleave' | 'dragover' | 'drop']: (event: DragEvent) => void } = {
      dragstart () { isOwn = true },
      dragend () { isOwn = false },
      dragenter (event) {
        depth++
        if (concerns(event)) setOver(true)
      },
      dragleave () {
        depth = Math.max(0, depth - 1)
        if (depth === 0) setOver(false)
      },
      dragover (event) {
        if (!concerns(event)) return
        event.preventDefault()
        if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
      },
      drop (event) {
        depth = 0
        setOver(false)
        if (!concerns(event) || !event.dataTransfer) return
        event.preventDefault()
        take(event.dataTransfer)
      }
    }
    const paste = (event: ClipboardEvent): void => {
      if (!isField(event.target) && event.clipboardData && take(event.clipboardData)) event.preventDefault()
    }
    const ended = new AbortController()
    for (const [name, listener] of Object.entries(listeners)) {
      document.addEventListener(name, listener as EventListener, { signal: ended.signal })
    }
    document.addEventListener('paste', paste, { signal: ended.signal })
    return () => { ended.abort() }
  }, [])

  return isOver
    ? (
      <div className={styles['over']} aria-hidden='true'>
        <div className={styles['box']}>
          <span><Icon name='upload' />{t('upload.drop')}</span>
          {!isPlain && <Suspense><NextLine /></Suspense>}
        </div>
      </div>
      )
    : null
}
