/** Identifies the version of a remote file that a partial download belongs to. */
import Type from 'typebox'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'

const FileVersion = Type.Object({
  /** A strong entity tag, which can be sent in If-Range. */
  etag: Type.Optional(Type.String()),
  /** The Last-Modified header as the server sent it. */
  modified: Type.Optional(Type.String()),
  totalBytes: Type.Optional(Type.Integer({ minimum: 0 })),
  /** The file name in Content-Disposition. Stored until the download is complete. */
  name: Type.Optional(Type.String()),
  /** Identifies the file at its source. Stored until the download is complete. */
  identity: Type.Optional(Type.String())
})
export type FileVersion = Static<typeof FileVersion>

export const isFileVersion = (value: unknown): value is FileVersion => Value.Check(FileVersion, value)

/** A partial download on disk. It outlives this process. */
export type PartialFile = {
  bytes (): number
  /** Undefined until the first `begin`. */
  version (): FileVersion | undefined
  /** Removes all bytes. Bytes appended after this belong to `version`, from its first byte on. */
  begin (version: FileVersion): Promise<void>
  append (chunk: Uint8Array): Promise<void>
}
