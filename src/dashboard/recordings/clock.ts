/** Times of a recording, as people write and say them. Pure. */

const pad = (value: number): string => String(value).padStart(2, '0')

/** 1:02:03, or 2:03 below an hour. `seconds` are rounded down. */
export function toClock (seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}

/** "1 hour 2 minutes 3 seconds" in a language, for screen readers. */
export function toSpokenTime (seconds: number, language: string): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts = [['hour', Math.floor(whole / 3600)], ['minute', Math.floor(whole / 60) % 60], ['second', whole % 60]] as const
  const shown = parts.filter(([unit, value]) => value > 0 || (unit === 'second' && whole === 0))
  return shown.map(([unit, value]) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)).join(' ')
}
