import type { Verification } from './verification.ts'

/** What `plumbline backup --json` prints of a backup. */
export type ReportedBackup = {
  backup: string
  instant: string
  ended: string
  bytes: number
  seconds: number
}

/** All that a run prints: the newest backup, what was found damaged, and the last verification. */
export type ReportedRun = ReportedBackup & {
  isNew: boolean
  damage: string[]
  verification: Verification | null
}

/** The backups that a service makes by itself. */
export type ScheduledBackupState = {
  to: string
  everyHours: number
  /** The newest backup that this instance knows of. */
  last: ReportedBackup | undefined
  /** Why the last attempt failed, unless one has succeeded since. */
  failure: string | undefined
  failures: number
  /** The last time that what is stored was read and compared. */
  verification: Verification | undefined
}

const HOUR = 3_600_000

/** Half an interval later than it was due a backup is overdue. */
const PATIENCE = 1.5

/** The state for operators. */
export function describeScheduledBackup(
  state: ScheduledBackupState | undefined,
  now: number,
): object {
  if (state === undefined) return { state: 'off' }
  const { to, everyHours, last, verification } = state
  const { failure, ageSeconds, isOverdue } = assessBackups(state, now)
  return {
    state: failure === null ? 'works' : 'fails',
    to,
    everyHours,
    last: last ?? null,
    ageSeconds,
    isOverdue,
    failure,
    verification:
      verification === undefined
        ? null
        : { ...verification, ageSeconds: Math.round((now - Date.parse(verification.at)) / 1000) },
  }
}

/** The age of the newest backup, whether the next one is overdue, and what is wrong. */
export function assessBackups(
  { everyHours, last, verification, failure = damageOf(verification) }: ScheduledBackupState,
  now: number,
) {
  const age = last === undefined ? undefined : now - Date.parse(last.instant)
  return {
    ageSeconds: age === undefined ? null : Math.round(age / 1000),
    isOverdue: age === undefined ? failure !== undefined : age > PATIENCE * everyHours * HOUR,
    failure: failure ?? null,
  }
}

/** What the last verification has found, as sentences; it stays until one finds nothing. */
function damageOf(verification: Verification | undefined): string | undefined {
  const damage = verification?.damage ?? []
  return damage.length === 0 ? undefined : damage.join(' ')
}
