/** The documents of the bundle, with everything that they link to. */
import { copyFileSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What people read first; all else follows from links. */
const STARTS = ['README.md', 'CHANGELOG.md', 'docs/**/*']

/** The files that a Markdown document links to, relative to the same folder as `path`. */
export function linksOf (path, text) {
  const targets = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, target]) => target.split('#')[0])
  return targets.filter((target) => target !== '' && !/^[a-z]+:/.test(target)).map((target) => normalize(join(dirname(path), target)))
}

/** Copies the documents of the repository `root` to `folder`, at the same paths. Throws an Error for a link that leads nowhere. */
export function copyDocuments (root, folder) {
  const waiting = globSync(STARTS, { cwd: root }).filter((path) => statSync(join(root, path)).isFile())
  const seen = new Set(waiting)
  for (const path of waiting) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(root, path), join(folder, path))
    if (!path.endsWith('.md')) continue
    for (const link of linksOf(path, readFileSync(join(root, path), 'utf8'))) {
      if (seen.has(link)) continue
      if (!statSync(join(root, link), { throwIfNoEntry: false })?.isFile()) throw new Error(`${path} links to ${link}, which is no file`)
      seen.add(link)
      waiting.push(link)
    }
  }
}
