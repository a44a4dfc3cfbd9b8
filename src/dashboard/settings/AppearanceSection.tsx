/** Light, dark, or as the system is. */
import { useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { APPEARANCES, changeAppearance, readAppearance } from '../ui/appearance.ts'
import { Card } from '../ui/Card.tsx'
import { Radios } from '../ui/Radios.tsx'

export function AppearanceSection () {
  const { t } = useTexts()
  const [chosen, setChosen] = useState(readAppearance)
  return (
    <Card title={t('settings.appearance')} detail={t('settings.appearance.detail')}>
      <Radios
        label={t('settings.appearance')} isLabelShown={false} value={chosen}
        options={APPEARANCES.map((value) => ({ value, text: t(`settings.appearance.${value}`) }))}
        onChange={(next) => {
          changeAppearance(next)
          setChosen(next)
        }}
      />
    </Card>
  )
}
