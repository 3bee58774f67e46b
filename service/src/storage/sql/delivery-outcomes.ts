import type { Statement } from './statement.ts'
import type { DeliveryOutcome } from '../stores/deliveries.ts'

/** A summary takes further deliveries until it has been due for the first time. */
const OPEN_SUMMARY = `select max(summary.id) from deliveries as summary
  where summary.channel = (select channel from deliveries where id = ?)
    and summary.kind = 'summary' and summary.state = 'waiting' and summary.next_at > ?
    and summary.attempts = 0`

/** Statements that store the outcome of a waiting delivery; they change no other delivery. */
export function completeDelivery(id: number, outcome: DeliveryOutcome): Statement[] {
  switch (outcome.kind) {
    case 'delivered':
      return [
        update(
          `state = 'delivered', attempts = attempts + 1, delivered_at = ?, next_at = ?,
            last_error = ?`,
          [outcome.at, outcome.at, outcome.note, id],
        ),
      ]
    case 'retry':
      return [
        update(`attempts = attempts + 1, next_at = ?, last_error = ?`, [
          outcome.at,
          outcome.error,
          id,
        ]),
      ]
    case 'givenUp':
      return [
        update(
          `state = 'givenUp', attempts = attempts + 1, next_at = ?, last_error = ?,
            reason = 'given up'`,
          [outcome.at, outcome.error, id],
        ),
      ]
    case 'suppressed':
      return [update(`state = 'suppressed', reason = ?`, [outcome.reason, id])]
    case 'held':
      return [
        {
          sql: `insert into deliveries (kind, channel, rules, message, state, attempts, created_at,
              due_at, next_at)
            select 'summary', channel, '[]', '', 'waiting', 0, ?, ?, ? from deliveries
              where id = ? and state = 'waiting' and (${OPEN_SUMMARY}) is null`,
          width: 6,
          values: [outcome.now, outcome.at, outcome.at, id, id, outcome.now],
        },
        update(`summary_id = (${OPEN_SUMMARY}), state = 'suppressed', reason = ?`, [
          id,
          outcome.now,
          outcome.reason,
          id,
        ]),
      ]
  }
}

const update = (set: string, values: readonly unknown[]): Statement => ({
  sql: `update deliveries set ${set} where id = ? and state = 'waiting'`,
  width: values.length,
  values,
})
