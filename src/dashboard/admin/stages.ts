/** Stages of a job in words. */
import { useTexts } from '../i18n/index.tsx'

const STAGES = ['fetch', 'decode', 'language', 'transcribe', 'speakers', 'index', 'complete'] as const
type Stage = typeof STAGES[number]
const isKnown = (stage: string): stage is Stage => (STAGES as readonly string[]).includes(stage)

export function useStageText (): (stage: string) => string {
  const { t } = useTexts()
  return (stage) => isKnown(stage) ? t(`admin.stage.${stage}`) : stage
}
