/** Icons drawn by lines, 20 by 20. They say nothing by themselves: the control that holds one has a label. */
const PATHS = {
  play: 'M6 4l10 6-10 6z',
  pause: 'M7 4v12M13 4v12',
  back: 'M9 5L4 10l5 5M4 10h12',
  search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM13 13l4 4',
  upload: 'M10 13V4M6 8l4-4 4 4M4 13v3h12v-3',
  link: 'M8 12l4-4M9 6l1.5-1.5a3 3 0 0 1 4.2 4.2L13 10.5M11 14l-1.5 1.5a3 3 0 0 1-4.2-4.2L7 9.5',
  filter: 'M3 6h14M6 10h8M8.5 14h3',
  more: 'M4 10h.01M10 10h.01M16 10h.01',
  close: 'M5 5l10 10M15 5L5 15',
  check: 'M4 10.5l4 4 8-9',
  trash: 'M4 6h12M8 6V4h4v2M6 6l1 10h6l1-10',
  edit: 'M4 16l1-4 8-8 3 3-8 8z',
  undo: 'M4 8h8a4 4 0 0 1 0 8H8M7 5L4 8l3 3',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  download: 'M10 4v9M6 9l4 4 4-4M4 16h12',
  person: 'M10 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM4 17c0-3 3-4.5 6-4.5s6 1.5 6 4.5',
  tag: 'M4 4h6l6 6-6 6-6-6zM7 7h.01',
  warn: 'M10 3l8 14H2zM10 8v4M10 14.5h.01',
  plus: 'M10 4v12M4 10h12',
  refresh: 'M16 6v4h-4M4 14v-4h4M15 10a5 5 0 0 0-9-3L4 10M5 10a5 5 0 0 0 9 3l2-3'
} as const
export type IconName = keyof typeof PATHS

export function Icon ({ name }: { name: IconName }) {
  return (
    <svg
      width='20' height='20' viewBox='0 0 20 20' fill={name === 'play' ? 'currentColor' : 'none'} stroke='currentColor' strokeWidth='1.75'
      strokeLinecap='round' strokeLinejoin='round' aria-hidden='true' focusable='false'
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
