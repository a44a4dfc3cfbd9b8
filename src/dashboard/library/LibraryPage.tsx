export function readLibrarySearch (_search: Record<string, unknown>) {
  return {}
}
export function LibraryPage () {
  return null
}
