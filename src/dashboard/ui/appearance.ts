/** Light, dark or as the system is. Remembered by this browser. */
const PLACE = 'stenobox.appearance'
export const APPEARANCES = ['system', 'light', 'dark'] as const
export type Appearance = typeof APPEARANCES[number]

export function readAppearance (): Appearance {
  const stored = localStorage.getItem(PLACE)
  return APPEARANCES.find((one) => one === stored) ?? 'system'
}

export function applyAppearance (appearance: Appearance = readAppearance()): void {
  document.documentElement.dataset['appearance'] = appearance
}

export function changeAppearance (appearance: Appearance): void {
  localStorage.setItem(PLACE, appearance)
  applyAppearance(appearance)
}
