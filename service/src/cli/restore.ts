import { findBackup, listBackups, readId, type BackupEntry } from '../backup/backup-folder.ts'
import { writeToken } from '../backup/backup-marks.ts'
import {
  finishRestore,
  requireNoData,
  requireReadable,
  restoreBackup,
} from '../backup/restore-backup.ts'
import { dirname } from 'node:path'
import { DamageError } from '../errors/damage-error.ts'
import { countOf } from '../errors/show.ts'
import { RECORD_KINDS } from '../domain/records/record-sources.ts'
import type { Storage } from '../storage/storage.ts'
import { openSqlite } from '../storage/sqlite/open.ts'
import { showBytes } from './backup.ts'
import { printResult, UsageError, type Command, type CommandContext } from './command.ts'
import { describe, inspectAll } from './doctor.ts'
import { Progress } from './progress.ts'
import { formatTable } from './table.ts'

export const restore: Command = {
  summary: 'restore a backup into an empty data folder',
  usage: 'plumbline restore DIR [--accept-damage] [--list] [--json]',
  help: `DIR is one backup, or a folder of backups, of which the newest is restored. The data folder (--data) must be
empty or missing: nothing is overwritten. Before the command says that it is done, it compares the checksums of
all files and checks the database as "plumbline doctor" does. Then start the service with the data folder: it has
the same certificate, keys, applications, tokens and alarms, if the backup was made with secrets.
A backup of an older program is migrated. After an interruption the same command begins anew.

  --accept-damage   restore a backup of data that was damaged before, which is refused otherwise
  --list            list the backups of DIR, and restore none
  --json            print JSON: {"backup", "instant", "records", "checked"}, with --list {"backups"}`,
  options: {
    'accept-damage': { type: 'boolean' },
    list: { type: 'boolean' },
    json: { type: 'boolean' },
  },

  async run(context) {
    const [path, ...others] = context.positionals
    if (path === undefined || others.length > 0)
      throw new UsageError('restore needs one backup, or a folder of backups')
    if (context.flags['list'] === true) return await list(context, path)
    await requireNoData(context.dataFolder)
    const entry = await findBackup(path)
    requireReadable(entry)
    await restoreEntry(context, entry)
  },
}

async function list(context: CommandContext, path: string): Promise<void> {
  const entries = await listBackups(path)
  const backups = entries.map(({ folder, manifest }) => {
    const { instant, engine, program, records, bytes, withoutSecrets } = manifest
    return { backup: folder, instant, engine, program, records, bytes, withoutSecrets }
  })
  const rows = backups.map(({ backup, instant, records, bytes, withoutSecrets }) => [
    backup,
    instant,
    (records.theme + records.raw).toLocaleString('en'),
    bytes.toLocaleString('en'),
    withoutSecrets ? 'without secrets' : '',
  ])
  printResult(
    context,
    { backups },
    backups.length === 0
      ? [`There is no backup in ${path}.`]
      : formatTable(['backup', 'data of', 'records', 'bytes written', ''], rows),
  )
}

async function restoreEntry(context: CommandContext, entry: BackupEntry): Promise<void> {
  const { dataFolder, signal, printError } = context
  using progress = new Progress('MB checked')
  const building = await restoreBackup(entry, {
    dataFolder,
    signal,
    onProgress: (bytes, total) => showBytes(progress, bytes, total),
  })
  progress[Symbol.dispose]()
  const checked = await check(context, entry, building, printError)
  await finishRestore(building)
  const { instant, records } = entry.manifest
  printResult(context, { backup: entry.folder, instant, records, checked: checked.checked }, [
    ...describe(checked),
    `Restored the data of ${instant} to ${dataFolder}. Start the service with --data ${dataFolder}.`,
  ])
}

/** Checks the data folder that was built as `plumbline doctor` does, and against the manifest. */
async function check(
  context: CommandContext,
  entry: BackupEntry,
  building: string,
  warn: (sentence: string) => void,
): Promise<Awaited<ReturnType<typeof inspectAll>>> {
  const { folder, manifest } = entry
  await using storage = await openSqlite(building, { migrating: 'allow', warn })
  const report = await inspectAll(storage, context)
  await requireRecords(storage, entry)
  const isDamaged = report.findings.length + report.stale.length > 0
  if (isDamaged && context.flags['accept-damage'] !== true)
    throw new DamageError(
      [
        ...describe(report),
        `The data in the backup ${folder} was damaged when it was backed up. Nothing was restored. Choose an earlier backup, or restore this one with --accept-damage.`,
      ].join('\n'),
    )
  await writeToken(storage, readId(dirname(folder)), manifest.token)
  return report
}

/** Compares the records of a restored storage with the manifest. */
async function requireRecords(
  { copying }: Pick<Storage, 'copying'>,
  { folder, manifest }: BackupEntry,
): Promise<void> {
  for (const kind of RECORD_KINDS) {
    const sql = `select (select coalesce(sum(count), 0) from ${kind}_sealed_parts)
      + (select count(*) from ${kind}_records)`
    const [[found] = [0]] = await copying.rows<[number]>(sql)
    if (found !== manifest.records[kind])
      throw new DamageError(
        `The backup ${folder} is damaged: it has ${countOf(found, 'record')} of the kind ${kind} instead of ${manifest.records[kind].toLocaleString('en')}. Nothing was restored. Choose another backup.`,
      )
  }
}
