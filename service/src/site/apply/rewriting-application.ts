import { RefusedError } from '../../errors/refused-error.ts'
import { structureOf } from '../check/site-context.ts'
import { planMeaning, type MeaningOptions, type MeaningPlan } from '../meaning/plan-meaning.ts'
import { rewriteRecords } from '../meaning/rewrite-records.ts'
import { beginRewriting, isResumed } from '../meaning/rewriting.ts'
import type { SiteChanges, Storage, StoredSite } from '../../storage/storage.ts'
import type { PlannedChanges } from './plan-changes.ts'
import { siteAfter } from './site-after.ts'

export type RewritingStorage = Pick<
  Storage,
  'site' | 'records' | 'waveforms' | 'changes' | 'retention' | 'takeAlone'
>

type RewritingOptions = {
  dryRun?: boolean
  meaning?: MeaningOptions
  signal?: AbortSignal | undefined
  rewritingProblem?: string
  mayRewrite?(): Promise<void>
  onRewriting?(change: number): Promise<void>
  onProgress?(records: number, total: number): void
}

/**
 * Rewrites stored records before the site is applied that gives them another unit or key. From its
 * first record until it is disposed of, nothing else has the data open.
 */
export class RewritingApplication implements AsyncDisposable {
  readonly #storage: RewritingStorage
  readonly #options: RewritingOptions
  #plan: MeaningPlan | undefined
  #alone: AsyncDisposable | undefined
  #change: number | undefined

  constructor(storage: RewritingStorage, options: RewritingOptions) {
    this.#storage = storage
    this.#options = options
  }

  /** Finds what is to be rewritten; the lines say it. */
  async plan(stored: StoredSite, { wanted, changes }: PlannedChanges): Promise<string[]> {
    this.#plan = undefined
    const named = new Set(wanted.map(structureOf).filter((id) => id !== null))
    const change = { stored, wanted: siteAfter(stored.entries, changes), named }
    const plan = await planMeaning(this.#storage, change, this.#options.meaning ?? {})
    const { rewrites, rewritesAny, lines } = plan
    const isNeeded = (await isResumed(this.#storage.changes, rewrites)) || rewritesAny
    if (!isNeeded) return lines
    const problem = this.#options.rewritingProblem
    if (problem !== undefined) throw new RefusedError('invalid', problem)
    this.#plan = plan
    return this.#options.dryRun === true ? [...lines, STOP_FIRST] : lines
  }

  /** Rewrites the records of the plan; returns the change to finish with the site. */
  async run({ version }: StoredSite): Promise<SiteChanges['finishes']> {
    const { signal, onRewriting } = this.#options
    if (this.#plan === undefined) return undefined
    const { rewrites } = this.#plan
    await this.#options.mayRewrite?.()
    this.#alone ??= await this.#storage.takeAlone()
    // Of an older site nothing is rewritten: it is not applied either, and planned again.
    if ((await this.#storage.site.version()) !== version) return undefined
    const change = await beginRewriting(this.#storage.changes, rewrites, Date.now())
    this.#change = change
    await onRewriting?.(change)
    const total = await this.#countRecords(rewrites)
    const onProgress = (read: number) => this.#options.onProgress?.(read, total)
    await rewriteRecords(this.#storage, rewrites, { change, signal, onProgress })
    return { change, now: Date.now() }
  }

  /** How the rewriting can be undone; nothing without one. */
  describe(): string[] {
    const change = this.#change
    return change === undefined
      ? []
      : [
          `note: the records were rewritten as change ${change}; "plumbline undo ${change}" restores them and leaves the site as it is`,
        ]
  }

  /** About the number of records that are read. */
  async #countRecords(rewrites: MeaningPlan['rewrites']): Promise<number> {
    let total = 0
    for (const { kind, source } of rewrites)
      for (const [, count] of await this.#storage.retention.countDays(kind, source)) total += count
    return total
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#alone?.[Symbol.asyncDispose]()
  }
}

const STOP_FIRST =
  'note: stop the service first: nothing else may use the data folder while records are rewritten'
