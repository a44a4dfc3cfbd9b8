/** The assignment problem: partners that together are worth most. */

/**
 * For each row the column that it is assigned to, or undefined; each column at most once; the sum of the values is the largest possible.
 * Rows and columns may differ in number. Source: Kuhn's Hungarian method with potentials, O(n³); Burkard, Dell'Amico, Martello,
 * "Assignment Problems", 2009, section 4.2.
 */
export function assignBest (values: ReadonlyArray<readonly number[]>): Array<number | undefined> {
  const columns = Math.max(0, ...values.map((row) => row.length))
  const size = Math.max(values.length, columns)
  const cost = (row: number, column: number): number => -(values[row]?.[column] ?? 0)
  // Potentials, and the row of each column. Index 0 is not used.
  const rowPotential = new Float64Array(size + 1)
  const columnPotential = new Float64Array(size + 1)
  const rowOf = new Int32Array(size + 1)
  for (let row = 1; row <= size; row++) {
    const before = new Int32Array(size + 1)
    const least = new Float64Array(size + 1).fill(Infinity)
    const isUsed = new Uint8Array(size + 1)
    let column = 0
    rowOf[0] = row
    do {
      isUsed[column] = 1
      const current = rowOf[column] ?? 0
      let [delta, next] = [Infinity, 0]
      for (let other = 1; other <= size; other++) {
        if (isUsed[other]) continue
        const reduced = cost(current - 1, other - 1) - (rowPotential[current] ?? 0) - (columnPotential[other] ?? 0)
        if (reduced < (least[other] ?? 0)) {
          least[other] = reduced
          before[other] = column
        }
        if ((least[other] ?? 0) < delta) [delta, next] = [least[other] ?? 0, other]
      }
      for (let other = 0; other <= size; other++) {
        if (isUsed[other]) {
          rowPotential[rowOf[other] ?? 0]! += delta
          columnPotential[other]! -= delta
        } else least[other]! -= delta
      }
      column = next
    } while (rowOf[column] !== 0)
    while (column !== 0) {
      const from = before[column] ?? 0
      rowOf[column] = rowOf[from] ?? 0
      column = from
    }
  }
  const assigned: Array<number | undefined> = values.map(() => undefined)
  for (let column = 1; column <= columns; column++) {
    const row = (rowOf[column] ?? 0) - 1
    if (row >= 0 && row < values.length) assigned[row] = column - 1
  }
  return assigned
}
