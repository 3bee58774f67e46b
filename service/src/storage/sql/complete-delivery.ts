import type { Statement } from './engine.ts'
import type { DeliveryOutcome } from '../storage.ts'

/** A summary that has not been due yet takes up more. */
const OPEN_SUMMARY = `select max(summary.id) from deliveries as summary
  where summary.channel = (select channel from deliveries where id = ?)
    and summary.kind = 'summary' and summary.state = 'waiting' and summary.next_at > ?
    and summary.attempts = 0`

/** Notes what became of a delivery that waits; one that does not stays as it is. */
export function completeDelivery(id: number, settlement: DeliveryOutcome): Statement[] {
  switch (settlement.kind) {
    case 'delivered':
      return [
        update(
          `state = 'delivered', attempts = attempts + 1, delivered_at = ?, next_at = ?,
            last_error = coalesce(?, last_error)`,
          [settlement.at, settlement.at, settlement.note, id],
        ),
      ]
    case 'retry':
      return [
        update(`attempts = attempts + 1, next_at = ?, last_error = ?`, [
          settlement.at,
          settlement.error,
          id,
        ]),
      ]
    case 'givenUp':
      return [
        update(
          `state = 'givenUp', attempts = attempts + 1, next_at = ?, last_error = ?,
            reason = 'given up'`,
          [settlement.at, settlement.error, id],
        ),
      ]
    case 'suppressed':
      return [update(`state = 'suppressed', reason = ?`, [settlement.reason, id])]
    case 'held':
      return [
        {
          sql: `insert into deliveries (kind, channel, rules, message, state, attempts, created_at,
              due_at, next_at)
            select 'summary', channel, '[]', '', 'waiting', 0, ?, ?, ? from deliveries
              where id = ? and state = 'waiting' and (${OPEN_SUMMARY}) is null`,
          width: 6,
          values: [settlement.now, settlement.at, settlement.at, id, id, settlement.now],
        },
        update(`summary_id = (${OPEN_SUMMARY}), state = 'suppressed', reason = ?`, [
          id,
          settlement.now,
          settlement.reason,
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
