import type { Status } from '@plumbline/client'
import { formatBytes } from '../../../state/format-size.ts'
import { formatAge, formatInstant, formatNumber } from '../../../state/format.ts'
import { texts } from '../../../texts/texts.svelte.ts'

const DAY = 86_400_000

/** A certificate is renewed a month before its end. */
const WARN_DAYS = 14

/** How a certificate is; read while a component is drawn. */
export function certificateFacts({ certificate: { endsAt }, time }: Status) {
  const { ends, endsIn, ended, state } = texts.operate.status
  const days = Math.floor((endsAt - time) / DAY)
  const kind = days < 0 ? 'danger' : days < WARN_DAYS ? 'warning' : 'good'
  return [
    { label: state, value: days < 0 ? ended : endsIn(days), kind },
    { label: ends, value: formatInstant(endsAt) },
  ] as const
}

/** How the backups are. */
export function backupFacts(backup: NonNullable<Status['backup']>) {
  const own = texts.operate.status
  const { last, failure, isOverdue, verifiedAt } = backup
  const [value, kind] = failure
    ? ([own.failed, 'danger'] as const)
    : isOverdue
      ? ([own.overdue, 'warning'] as const)
      : ([own.onTime, 'good'] as const)
  return [
    { label: own.state, value, kind, note: failure },
    {
      label: own.last,
      value: last ? formatInstant(Date.parse(last.instant)) : own.never,
      note: last && `${formatBytes(last.bytes)} ${own.took(formatNumber(last.seconds, 0))}`,
    },
    {
      label: own.verified,
      value: verifiedAt ? formatInstant(Date.parse(verifiedAt)) : own.never,
    },
    { label: own.every, value: own.hours(backup.everyHours) },
    { label: own.to, value: backup.to },
  ]
}

/** How the continuous copy is. */
export function copyFacts(copy: NonNullable<Status['continuousCopy']>, now: number) {
  const own = texts.operate.status
  const { state, problem, copiedThrough, isOnSameDisk, to } = copy
  const kind = problem ? 'danger' : state === 'follows' ? 'good' : 'warning'
  return [
    { label: own.state, value: own.copyStates[state], kind: kind as typeof kind, note: problem },
    {
      label: own.copiedThrough,
      value: copiedThrough === null ? own.never : formatInstant(copiedThrough),
      note: copiedThrough === null ? null : formatAge((now - copiedThrough) / 1000),
    },
    { label: own.to, value: to, note: isOnSameDisk ? own.sameDisk : null },
  ]
}
