/** Uploads in progress and their parts. */
import type { JobOptions } from '../domain/job.js'
import type { RecordingName } from '../domain/recording-name.js'
import type { Upload, UploadPart } from '../domain/upload.js'
import type { Database } from './database.js'

type UploadRow = {
  id: string, owner_id: number, file_name: RecordingName, file_type: string | null, size_bytes: number, part_size_bytes: number
  sha256: string | null, options: string, api_key_id: number | null, webhook_url: string | null, webhook_secret: string | null
  created_at: number, expires_at: number, reserved_until: number, job_id: number | null
}
type PartRow = { part_number: number, size_bytes: number, sha256: string }

function toUpload (row: UploadRow): Upload {
  return {
    id: row.id,
    ownerId: row.owner_id,
    fileName: row.file_name,
    fileType: row.file_type ?? undefined,
    sizeBytes: row.size_bytes,
    partSizeBytes: row.part_size_bytes,
    sha256: row.sha256 ?? undefined,
    options: JSON.parse(row.options) as JobOptions,
    apiKeyId: row.api_key_id ?? undefined,
    webhook: row.webhook_url === null || row.webhook_secret === null ? undefined : { url: row.webhook_url, secret: row.webhook_secret },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    reservedUntil: row.reserved_until,
    jobId: row.job_id ?? undefined
  }
}

const COLUMNS = `id, owner_id, file_name, file_type, size_bytes, part_size_bytes, sha256, options, api_key_id, webhook_url, webhook_secret,
  created_at, expires_at, reserved_until, job_id`

export function createUploadStore (db: Database) {
  const insert = db.prepare(`
    INSERT INTO upload (
      id, owner_id, file_name, file_type, size_bytes, part_size_bytes, sha256, options, api_key_id, webhook_url, webhook_secret,
      created_at, expires_at, reserved_until
    )
    VALUES (
      :id, :ownerId, :fileName, :fileType, :sizeBytes, :partSizeBytes, :sha256, :options, :apiKeyId, :webhookUrl, :webhookSecret,
      :createdAt, :expiresAt, :reservedUntil
    )
  `)
  const find = db.prepare<{ id: string, ownerId: number }, UploadRow>(`
    SELECT ${COLUMNS}
    FROM upload
    WHERE id = :id AND owner_id = :ownerId
  `)
  const upsertPart = db.prepare<{ uploadId: string } & UploadPart>(`
    INSERT INTO upload_part (upload_id, part_number, size_bytes, sha256)
    VALUES (:uploadId, :partNumber, :sizeBytes, :sha256)
    ON CONFLICT (upload_id, part_number) DO UPDATE SET size_bytes = excluded.size_bytes, sha256 = excluded.sha256
  `)
  const parts = db.prepare<{ uploadId: string }, PartRow>(`
    SELECT part_number, size_bytes, sha256
    FROM upload_part
    WHERE upload_id = :uploadId
    ORDER BY part_number
  `)
  const setJob = db.prepare<{ id: string, jobId: number }>('UPDATE upload SET job_id = :jobId WHERE id = :id')
  const remove = db.prepare<{ id: string }>('DELETE FROM upload WHERE id = :id')
  // uses upload_by_job
  const removeOfJob = db.prepare<{ jobId: number }, { id: string }>('DELETE FROM upload WHERE job_id = :jobId RETURNING id')
  const expired = db.prepare<{ now: number }, { id: string }>('SELECT id FROM upload WHERE expires_at <= :now')
  const missing = 'u.size_bytes - coalesce((SELECT sum(p.size_bytes) FROM upload_part p WHERE p.upload_id = u.id), 0)'
  // uses upload_by_reservation
  const announced = db.prepare<{ now: number }, { bytes: number | null }>(`
    SELECT sum(${missing}) AS bytes
    FROM upload u
    WHERE u.job_id IS NULL AND u.reserved_until > :now
  `)
  // uses upload_by_owner
  const openOf = db.prepare<{ ownerId: number, now: number }, { count: number, bytes: number | null }>(`
    SELECT count(*) AS count, sum(CASE WHEN u.reserved_until > :now THEN ${missing} END) AS bytes
    FROM upload u
    WHERE u.owner_id = :ownerId AND u.job_id IS NULL AND u.expires_at > :now
  `)
  const extend = db.prepare<{ id: string, expiresAt: number, reservedUntil: number }>(`
    UPDATE upload SET expires_at = :expiresAt, reserved_until = :reservedUntil WHERE id = :id
  `)

  return {
    insert ({ webhook, ...upload }: Upload): void {
      insert.run({
        ...upload,
        apiKeyId: upload.apiKeyId ?? null,
        webhookUrl: webhook?.url ?? null,
        webhookSecret: webhook?.secret ?? null,
        fileType: upload.fileType ?? null,
        sha256: upload.sha256 ?? null,
        options: JSON.stringify(upload.options)
      })
    },
    find (id: string, ownerId: number): Upload | undefined {
      const row = find.get({ id, ownerId })
      return row && toUpload(row)
    },
    upsertPart: (uploadId: string, part: UploadPart): void => { upsertPart.run({ uploadId, ...part }) },
    listParts: (uploadId: string): UploadPart[] => parts.all({ uploadId })
      .map((row) => ({ partNumber: row.part_number, sizeBytes: row.size_bytes, sha256: row.sha256 })),
    setJob: (id: string, jobId: number): void => { setJob.run({ id, jobId }) },
    remove: (id: string): void => { remove.run({ id }) },
    /** Removes the uploads of a job and returns their ids. */
    removeOfJob: (jobId: number): string[] => removeOfJob.all({ jobId }).map((row) => row.id),
    listExpired: (now: number): string[] => expired.all({ now }).map((row) => row.id),
    /** The bytes that are reserved: announced by open uploads and not sent yet. */
    announcedBytes: (now: number): number => announced.get({ now })?.bytes ?? 0,
    /** The open uploads of an owner, and the bytes that are reserved for them. */
    openOf (ownerId: number, now: number): { count: number, announcedBytes: number } {
      const { count = 0, bytes } = openOf.get({ ownerId, now }) ?? {}
      return { count, announcedBytes: bytes ?? 0 }
    },
    extend: (id: string, until: { expiresAt: number, reservedUntil: number }): void => { extend.run({ id, ...until }) }
  }
}
export type UploadStore = ReturnType<typeof createUploadStore>
