import { dirname } from 'node:path'
import { findBackup, type BackupEntry } from '../backup/find-backups.ts'
import { noteVerification } from '../backup/verification.ts'
import { verifyBackup } from '../backup/verify-backup.ts'
import { DamageError } from '../errors/damage-error.ts'
import { countOf } from '../errors/show.ts'
import { printResult, type CommandContext } from './command.ts'
import { Progress, showBytes } from './progress.ts'

/** What is damaged of a backup, as a sentence; undefined where it is whole. */
export async function findDamage(
  context: CommandContext,
  entry: BackupEntry,
): Promise<string | undefined> {
  try {
    await verify(context, entry)
    return undefined
  } catch (error) {
    if (error instanceof DamageError) return error.message
    throw error
  }
}

/** Notes that the newest backup of a folder was verified, and what was damaged. */
export const noteVerified = (
  { name, folder }: BackupEntry,
  damage: readonly string[],
): Promise<void> =>
  noteVerification(dirname(folder), {
    at: new Date().toISOString(),
    backup: name,
    damage: [...damage],
  })

/** Checks one backup and says how much it has read. */
export async function verifyOnly(context: CommandContext, path: string): Promise<void> {
  const entry = await findBackup(path)
  const { files, bytes } = await verify(context, entry)
  printResult(context, { backup: entry.folder, instant: entry.manifest.instant, files, bytes }, [
    `The backup ${entry.folder} is whole: ${countOf(files, 'file')} with ${countOf(bytes, 'byte')} have the checksums of its manifest.`,
  ])
}

async function verify(
  { signal }: CommandContext,
  entry: BackupEntry,
): Promise<{ files: number; bytes: number }> {
  using progress = new Progress('MB checked')
  return await verifyBackup(entry, {
    signal,
    onProgress: (bytes, total) => showBytes(progress, bytes, total),
  })
}
