import { setTimeout as sleep } from 'node:timers/promises'
import { DamageError } from '../errors/damage-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { countOf } from '../errors/show.ts'
import { copyAll } from '../storage/sql/copy/copy-all.ts'
import { claimTarget, releaseTarget } from '../storage/sql/copy/copy-marks.ts'
import { countRecords, countTables, measureTables } from '../storage/sql/copy/measure-tables.ts'
import { forgetDays, verifyCopy, type Verification } from '../storage/sql/copy/verify-copy.ts'
import type { Storage } from '../storage/storage.ts'
import { printResult, textPrinter, type CommandContext } from './command.ts'
import { openCopied, readCopied, requireTwo, type CopiedStorage } from './copied-storage.ts'
import { loadSettings } from './load-settings.ts'
import { Progress } from './progress.ts'
import { recordWrite } from './record-command.ts'
import { formatTable } from './table.ts'

/** A pass that writes no more has caught up; after this many the rest is left to the end. */
const CAUGHT_UP_ROWS = 1_000
const PASSES = 5

/** How often the command looks whether the service has stopped, and copies what it took meanwhile. */
const LOOK_MILLISECONDS = 1_000
const PASS_MILLISECONDS = 30_000

/** For the estimate of a dry run: what one core and a disk copy and compare in a second. */
const ROWS_A_SECOND = 25_000
const BYTES_A_SECOND = 15_000_000

type Sides = { from: CopiedStorage; to: CopiedStorage; source: Storage; target: Storage }

/** What was written so far. */
type Written = {
  passes: number
  written: number
  startedAt: number
  /** The rows of the source when the copy began, for the progress. */
  rows: number
  /** The state of each table when it was last compared. */
  stamps: Map<string, string>
}

/** Copies all data of one storage to another. */
export async function copyStorage(context: CommandContext): Promise<void> {
  const config = await loadSettings(context)
  const from = readCopied(context, config, 'from')
  const to = readCopied(context, config, 'to')
  requireTwo(from, to)
  await using source = await openCopied(context, from)
  if (context.flags['dry-run'] === true) return await measure(context, to, source)
  await using target = await openCopied(context, to, { isTarget: true, mayCreate: true })
  await using _alone = await target.takeAlone().catch(renamed(targetInUse(to.name)))
  const { isContinued } = await claimTarget(source.copying, target.copying, { isDry: false })
  await recordWrite(source, 'storage copy', { from: from.name, to: to.name }, context.printError)
  const done: Written = {
    passes: 0,
    written: 0,
    rows: await countTables(source.copying),
    startedAt: performance.now(),
    stamps: new Map(),
  }
  if (isContinued) textPrinter(context)(`Continuing the copy to ${to.name}.`)
  try {
    await move(context, { from, to, source, target }, done)
  } catch (error) {
    if (!context.signal.aborted) throw error
    report(context, done, undefined, [])
    throw new RefusedError('unavailable', 'Stopped. Run the same command again to continue.')
  }
}

async function move(context: CommandContext, sides: Sides, done: Written): Promise<void> {
  const { from, to, target } = sides
  const { signal } = context
  while (done.passes < PASSES && (await pass(sides, done, signal)) > CAUGHT_UP_ROWS);
  const alone = await takeSource(context, sides, done)
  if (alone === undefined)
    return report(context, done, undefined, [
      `Copied ${countOf(done.written, 'row')}. ${from.name} is in use: stop its service, then run the same command again for the rest.`,
    ])
  await using _alone = alone
  // Nothing changes any more: every row is compared.
  done.stamps.clear()
  await pass(sides, done, signal)
  const verified = await verify(sides, signal)
  const { damages, differences, rows, records } = verified
  if (damages.length + differences.length > 0) await forgetDays(target.copying)
  if (damages.length > 0)
    throw new DamageError(
      `The source is damaged:\n${damages.join('\n')}\nRestore what is damaged from a backup, then run the same command again. Run "plumbline doctor" on the source for all damage. Keep using ${from.name}.`,
    )
  if (differences.length > 0)
    throw new RefusedError(
      'invalid',
      `The target is not the same as the source:\n${differences.join('\n')}\nRun the same command again, which copies open records once more. If it finds the same again, empty the target and start anew. Keep using ${from.name}.`,
    )
  await releaseTarget(sides.source.copying, target.copying, Date.now())
  report(context, done, verified, [
    `Copied ${countOf(done.written, 'row')} in ${countOf(done.passes, 'pass').replace(/passs$/, 'passes')}.`,
    `Both storages are the same: ${countOf(records, 'record')} and ${countOf(rows, 'other row')}.`,
    ...nextSteps(to),
  ])
}

/** What the operator does next. */
const nextSteps = ({ folder, name }: CopiedStorage): string[] =>
  folder === undefined
    ? [
        `To use the target, set storage.url to ${name} in plumbline.yaml, with the role of the service instead of the one that owns the tables. Then start the service.`,
      ]
    : [
        `To use the target, start the service with --data ${folder} and without storage.url. Copy the folders "secrets" and "tls" and the settings file of the old data folder first.`,
      ]

/** Copies what differs; returns the number of rows that were written. */
async function pass(
  { source, target }: Sides,
  done: Written,
  signal: AbortSignal,
): Promise<number> {
  using progress = new Progress('rows')
  let read = 0
  const written = await copyAll(source.copying, target.copying, {
    signal,
    stamps: done.stamps,
    onRows: (rows) => progress.show((read += rows), done.rows),
  })
  done.passes++
  done.written += written
  return written
}

/** Waits until nothing else uses the source; undefined where the command is not to wait. */
async function takeSource(
  context: CommandContext,
  sides: Sides,
  done: Written,
): Promise<AsyncDisposable | undefined> {
  const { signal, flags } = context
  let nextPass = performance.now()
  for (let isTold = false; ; isTold = true) {
    const alone = await sides.source.takeAlone().catch((error: unknown) => {
      if (error instanceof RefusedError && error.reason === 'unavailable') return undefined
      throw error
    })
    if (alone !== undefined) return alone
    if (flags['no-wait'] === true) return undefined
    if (!isTold)
      context.printError(
        `All data up to now is copied. Stop the service and all commands that use ${sides.from.name}; the rest is then copied and verified.`,
      )
    if (isTold && performance.now() > nextPass) await pass(sides, done, signal)
    if (performance.now() > nextPass) nextPass = performance.now() + PASS_MILLISECONDS
    await sleep(LOOK_MILLISECONDS, undefined, { signal })
  }
}

async function verify({ source, target }: Sides, signal: AbortSignal): Promise<Verification> {
  using progress = new Progress('verified rows')
  const total = await countRecords(source.copying)
  let read = 0
  return verifyCopy(source.copying, target.copying, {
    signal,
    onRows: (rows) => progress.show((read += rows), total),
  })
}

function report(
  context: CommandContext,
  { passes, written, startedAt }: Written,
  verified: Verification | undefined,
  lines: readonly string[],
): void {
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  const { rows, records } = verified ?? {}
  const isComplete = verified !== undefined
  printResult(context, { isComplete, passes, written, rows, records, seconds }, lines)
}

async function measure(context: CommandContext, to: CopiedStorage, source: Storage): Promise<void> {
  await requireFree(context, to, source)
  const tables = await measureTables(source.copying)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  const seconds = Math.ceil(rows / ROWS_A_SECOND + bytes / BYTES_A_SECOND)
  printResult(context, { tables, rows, bytes, seconds }, [
    ...formatTable(
      ['table', 'rows', 'bytes'],
      tables.map((table) => [
        table.table,
        table.rows.toLocaleString('en'),
        table.bytes.toLocaleString('en'),
      ]),
    ),
    `${countOf(rows, 'row')} with ${countOf(bytes, 'byte')}, estimated time ${countOf(seconds, 'second')}.`,
    '(dry run: nothing was copied)',
  ])
}

/** Refuses a target that a copy would refuse; one that does not exist yet is empty. */
async function requireFree(
  context: CommandContext,
  to: CopiedStorage,
  source: Storage,
): Promise<void> {
  try {
    await using target = await openCopied(context, to, { isTarget: true })
    await claimTarget(source.copying, target.copying, { isDry: true })
  } catch (error) {
    if (!(error instanceof RefusedError && error.reason === 'absent')) throw error
  }
}

const targetInUse = (name: string): string =>
  `Another program uses the target ${name}. Stop it first: nothing else may open a storage while it is copied to.`

/** Throws a refusal with another sentence. */
const renamed =
  (sentence: string) =>
  (error: unknown): never => {
    if (error instanceof RefusedError && error.reason === 'unavailable')
      throw new RefusedError('unavailable', sentence)
    throw error
  }
