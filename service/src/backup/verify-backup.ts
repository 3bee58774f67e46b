import { dirname } from 'node:path'
import { requireIntact } from './checksums.ts'
import type { BackupEntry } from './find-backups.ts'

type Verifying = { signal: AbortSignal; onProgress(bytes: number, total: number): void }

/** Reads every file of a backup; throws a `DamageError` at the first that is not the one that was made. */
export async function verifyBackup(
  { folder, manifest: { files, segments } }: BackupEntry,
  { signal, onProgress }: Verifying,
): Promise<{ files: number; bytes: number }> {
  const all = [
    ...files.map((file) => ({ folder, file })),
    ...segments.map((file) => ({ folder: dirname(folder), file })),
  ]
  const total = all.reduce((sum, { file }) => sum + file.bytes, 0)
  let done = 0
  for (const one of all)
    await requireIntact(one.folder, one.file, {
      signal,
      onBytes: (bytes) => onProgress((done += bytes), total),
    })
  return { files: all.length, bytes: total }
}
