import { RefusedError } from '../errors/refused-error.ts'
import { countOf } from '../errors/show.ts'
import { readConnectionSettings, usesPostgres } from '../startup/storage-settings.ts'
import type { DistributionPlan } from '../storage/postgres/distribution/distribute.ts'
import { printResult, readText, UsageError, type CommandContext } from './command.ts'
import { loadSettings } from './load-settings.ts'
import { Progress } from './progress.ts'
import { formatTable } from './table.ts'

/** `plumbline storage distribute`. */
export async function distributeTables(context: CommandContext): Promise<void> {
  const { flags, signal } = context
  const config = await loadSettings(context)
  if (!usesPostgres(config))
    throw new RefusedError(
      'invalid',
      'Only a database of PostgreSQL with the Citus extension can be distributed; the settings name the data folder. Name the coordinator with --storage postgres://USER@HOST/DATABASE (docs/citus.md).',
    )
  // Loaded only here, since most services keep their data in the folder.
  const { openConnection } = await import('../storage/postgres/connection/open-connection.ts')
  const { distribute, planDistribution, takeAlone } =
    await import('../storage/postgres/distribution/distribute.ts')
  const wanted = readShards(readText(flags, 'shards'))
  await using connection = await openConnection(
    config['storage.url'],
    await readConnectionSettings(config),
  )
  const isDryRun = flags['dry-run'] === true
  if (!isDryRun) await takeAlone(connection)
  const plan = await planDistribution(connection, { shards: wanted })
  const { workers, shards, steps } = plan
  const tables = steps.map(({ table, column }) => ({ table, column: column ?? null }))
  const lines = describe(plan)
  if (isDryRun || steps.length === 0) {
    if (steps.length > 0) lines.push('(dry run: nothing was changed)')
    const isDistributed = steps.length === 0
    return printResult(context, { workers, shards, tables, isDistributed }, lines)
  }
  using progress = new Progress('tables')
  const done = await distribute(connection, plan, (at) => {
    progress.show(at, steps.length)
    return signal.aborted
  })
  progress[Symbol.dispose]()
  const isDistributed = done === steps.length
  lines.push(
    isDistributed
      ? 'The tables are distributed.'
      : `Stopped after ${done} of ${countOf(steps.length, 'table')}. The same command continues; no service starts before it has ended.`,
  )
  printResult(context, { workers, shards, tables: tables.slice(0, done), isDistributed }, lines)
}

function readShards(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,4}$/.test(text)) return Number(text)
  throw new UsageError(`--shards must be a number from 1 to 1024, not "${text}"`)
}

function describe({ workers, shards, steps }: DistributionPlan): string[] {
  const cluster = `The cluster has ${countOf(workers, 'worker')}.`
  if (steps.length === 0) return [`${cluster} The tables are distributed already.`]
  const spread = steps.some(({ column }) => column !== undefined)
  return [
    `${cluster}${spread ? ` Distributed tables get ${countOf(shards, 'shard')}.` : ''}`,
    ...formatTable(
      ['table', 'place'],
      steps.map(({ table, column }) => [
        table,
        column === undefined ? 'coordinator' : `workers, by ${column}`,
      ]),
    ),
  ]
}
