/** Runs on its own thread: reads the library, so that a search never holds up the thread that answers requests. */
import type { LibraryFinding, LibraryQuery } from '../domain/library-search.js'
import { loadCodeScan } from '../native/addon.js'
import { openForReading } from './database.js'
import { createLibrary } from './library.js'
import type { Library } from './library.js'

let opened: { dataDir: string, library: Library } | undefined

function libraryOf (dataDir: string): Library {
  if (opened?.dataDir !== dataDir) opened = { dataDir, library: createLibrary(openForReading(dataDir), loadCodeScan()) }
  return opened.library
}

export const listModels = ({ dataDir }: { dataDir: string }): string[] => libraryOf(dataDir).listModels()
export const find = ({ dataDir, query }: { dataDir: string, query: LibraryQuery }): LibraryFinding => libraryOf(dataDir).find(query)
