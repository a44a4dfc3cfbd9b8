export function SharedPage () {
  return null
}
