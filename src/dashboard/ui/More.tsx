/** Loads the next page of a list that comes in pages. */
import { useTexts } from '../i18n/index.tsx'
import { Button } from './Button.tsx'
import { keepFocus } from './focus.ts'
import { inBackground } from './Notices.tsx'

type Props = {
  query: { hasNextPage: boolean, isFetchingNextPage: boolean, fetchNextPage (): Promise<unknown> }
  /** What comes next, if "more" says too little. */
  label?: string
}

export function More ({ query: { hasNextPage, isFetchingNextPage, fetchNextPage }, label }: Props) {
  const { t } = useTexts()
  if (!hasNextPage) return null
  return (
    <div>
      <Button isPending={isFetchingNextPage} onPress={() => { inBackground(fetchNextPage().then(keepFocus)) }}>
        {label ?? t('ui.more')}
      </Button>
    </div>
  )
}
