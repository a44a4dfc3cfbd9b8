/** Sentences of the appliance that a page shows. */
import { useEffect, useState } from 'react'
import { say, useTexts } from './index.tsx'

/** A sentence of the appliance in the language of the page; in its own words until the page has the others. */
export function useSaid (sentence: string | undefined): string | undefined {
  const { language } = useTexts()
  const [said, setSaid] = useState<{ sentence: string, text: string }>()
  useEffect(() => {
    if (sentence === undefined) return
    let isWanted = true
    say(sentence).then((text) => { if (isWanted) setSaid({ sentence, text }) }, reportError)
    return () => { isWanted = false }
  }, [sentence, language])
  return said !== undefined && said.sentence === sentence ? said.text : sentence
}
