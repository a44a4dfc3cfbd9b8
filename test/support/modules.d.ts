/** Packages without types that tests compare with. */
declare module 'webvtt-parser' {
  type Tree = { children: Array<{ type: string, value?: string, children?: Tree['children'] }> }
  type Read = { cues: Array<{ startTime: number, endTime: number, tree: Tree }>, errors: Array<{ message: string, line: number }> }
  export const WebVTTParser: new (entities: Readonly<Record<string, string>>) => { parse (text: string, mode: 'captions'): Read }
}

declare module 'commonmark' {
  export const Parser: new () => { parse (text: string): object }
  export const HtmlRenderer: new () => { render (document: object): string }
}

/** Set-up is untyped JavaScript, because it runs before anything is installed. */
declare module '*/scripts/setup-gpu.mjs' {
  type Tools = {
    run: (what: string, file: string, args: string[]) => Promise<void>
    npm: () => { file: string, args: string[] }
    tar: string
    say: (line: string) => void
  }
  export const VERSION: string
  export function installGpuLibraries (modules: string, gpu: string | undefined, tools: Tools): Promise<void>
}

declare module '*/scripts/bundle/documents.mjs' {
  export function linksOf (path: string, text: string): string[]
}

declare module '*/scripts/setup-test-tools.mjs' {
  type Tools = {
    run: (what: string, file: string, args: string[]) => Promise<void>
    findProgram: (name: string) => string | undefined
    say: (line: string) => void
    isRoot?: boolean
    mayStart?: boolean
  }
  export function startsServices (policy?: string): boolean
  export function installTestTools (failed: string, tools: Tools): Promise<void>
}

declare module '*/scripts/setup-model.mjs' {
  type Tools = { runVisibly: (args: string[]) => Promise<number>, isQuiet: boolean, isAsked: boolean }
  export function installModel (root: string, wanted: string, tools: Tools): Promise<void>
  export function readWantedModel (error: ErrorConstructor): string
}
