/** Which version of a remote file a partial download belongs to. */
import Type from 'typebox'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'

const FileVersion = Type.Object({
  /** A strong entity tag, which may stand in If-Range. */
  etag: Type.Optional(Type.String()),
  /** The Last-Modified header as the server sent it. */
  modified: Type.Optional(Type.String()),
  totalBytes: Type.Optional(Type.Integer({ minimum: 0 })),
  /** The file name in Content-Disposition. Kept for the time when the rest has arrived. */
  name: Type.Optional(Type.String()),
  /** Identifies the file at its address. Kept for the time when the rest has arrived. */
  identity: Type.Optional(Type.String())
})
export type FileVersion = Static<typeof FileVersion>

export const isFileVersion = (value: unknown): value is FileVersion => Value.Check(FileVersion, value)

/** A file that is being downloaded. It survives this process. */
export type PartialFile = {
  bytes (): number
  /** Undefined until the first `begin`. */
  version (): FileVersion | undefined
  /** Drops all bytes: what is appended from now on is this version, from its beginning. */
  begin (version: FileVersion): Promise<void>
  append (chunk: Uint8Array): Promise<void>
}
