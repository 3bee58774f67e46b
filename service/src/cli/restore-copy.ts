import { listSpans, restoreCopy } from '../backup/continuous/restore-copy.ts'
import { beginRestoring, finishRestoring } from '../backup/restoring-folder.ts'
import { skipLostIds } from '../backup/skip-lost-ids.ts'
import { countOf, momentOf } from '../errors/show.ts'
import { openSqlite } from '../storage/sqlite/open.ts'
import { printResult, type CommandContext } from './command.ts'
import { describeSettings } from './describe-settings.ts'
import { describe, inspectAll } from './doctor.ts'
import { requirePast } from './read-moment.ts'
import { requireUndamaged } from './require-undamaged.ts'
import { formatTable } from './table.ts'

/** Restores a continuous copy, checked before it gets into its place. */
export async function restoreFromCopy(
  context: CommandContext,
  from: string,
  at: number | undefined,
): Promise<void> {
  const { dataFolder } = context
  if (at !== undefined && at > Date.now())
    requirePast(at, { path: from, newest: await newestOf(from) })
  const building = await beginRestoring(dataFolder)
  const restored = await restoreCopy({ from, to: building, at })
  const [moment, instant] = [momentOf(restored.at), new Date(restored.at).toISOString()]
  const report = await check(context, building, restored.at)
  requireUndamaged(
    report,
    `The copy of ${moment} in ${from} has damage. Nothing was restored. Choose an earlier moment with --at.`,
  )
  await finishRestoring(building)
  const { checked } = report
  const { generation, pieces, files } = restored
  printResult(context, { copy: generation, instant, pieces, files, checked }, [
    ...describe(report),
    `Restored what was stored until ${moment} to ${dataFolder}, from ${generation} and ${countOf(pieces, 'piece')}.`,
    ...describeSettings(context),
    `Start the service with --data ${dataFolder}.`,
  ])
}

/** Shows which moments a continuous copy can restore. */
export async function listCopy(context: CommandContext, copy: string): Promise<void> {
  const spans = await listSpans(copy)
  const copies = spans.map(({ generation, from, to, damage }) => ({
    copy: generation,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    damage: damage ?? null,
  }))
  printResult(
    context,
    { copies },
    copies.length === 0
      ? [`The folder ${copy} holds no copy that is whole: the first one is not finished.`]
      : formatTable(
          ['copy', 'from', 'to', ''],
          spans.map(({ generation, from, to, damage }) => [
            generation,
            momentOf(from),
            momentOf(to),
            damage ?? '',
          ]),
        ),
  )
}

const newestOf = async (copy: string): Promise<number> =>
  Math.max(...(await listSpans(copy)).map(({ to }) => to))

async function check(context: CommandContext, folder: string, instant: number) {
  await using storage = await openSqlite(folder, { migrating: 'allow', warn: context.printError })
  const report = await inspectAll(storage, context)
  await skipLostIds(storage, instant, Date.now())
  return report
}
