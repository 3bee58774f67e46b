import { restoreCopy } from '../backup/continuous/restore-copy.ts'
import { beginRestoring, finishRestoring } from '../backup/continuous/restoring-folder.ts'
import { DamageError } from '../errors/damage-error.ts'
import { countOf } from '../errors/show.ts'
import { openSqlite } from '../storage/sqlite/open.ts'
import { printResult, readText, UsageError, type CommandContext } from './command.ts'
import { describe, inspectAll } from './doctor.ts'

/** Restores a continuous copy, checked before it gets into its place. */
export async function restoreFromCopy(context: CommandContext, from: string): Promise<void> {
  const { dataFolder, flags } = context
  const at = readMoment(readText(flags, 'at'))
  const building = await beginRestoring(dataFolder)
  const restored = await restoreCopy({ from, to: building, at })
  const moment = new Date(restored.at).toISOString()
  const report = await check(context, building)
  if (report.findings.length + report.stale.length > 0)
    throw new DamageError(
      [
        ...describe(report),
        `The copy of ${moment} in ${from} has damage. Nothing was restored. Choose an earlier moment with --at.`,
      ].join('\n'),
    )
  await finishRestoring(dataFolder)
  const { checked } = report
  const { generation, pieces, files } = restored
  printResult(context, { copy: generation, instant: moment, pieces, files, checked }, [
    ...describe(report),
    `Restored what was stored until ${moment} to ${dataFolder}, from ${generation} and ${countOf(pieces, 'piece')}.`,
    `Start the service with --data ${dataFolder}.`,
  ])
}

async function check(context: CommandContext, folder: string) {
  await using storage = await openSqlite(folder, { migrating: 'allow', warn: context.printError })
  return await inspectAll(storage, context)
}

/** A moment of ISO 8601; without an offset in the time of this machine. */
function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const moment = MOMENT.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  if (Number.isFinite(moment)) return moment
  throw new UsageError(
    `--at ${text} is no moment; expected one such as 2026-03-01T12:00 or 2026-03-01T12:00:00Z.`,
  )
}

const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/
