/** Packages that tests compare with and that bring no types. */
declare module 'webvtt-parser' {
  type Tree = { children: Array<{ type: string, value?: string, children?: Tree['children'] }> }
  type Read = { cues: Array<{ startTime: number, endTime: number, tree: Tree }>, errors: Array<{ message: string, line: number }> }
  export const WebVTTParser: new (entities: Readonly<Record<string, string>>) => { parse (text: string, mode: 'captions'): Read }
}

declare module 'commonmark' {
  export const Parser: new () => { parse (text: string): object }
  export const HtmlRenderer: new () => { render (document: object): string }
}
