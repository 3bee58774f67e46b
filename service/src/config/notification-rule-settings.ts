import { Type } from 'typebox'
import { NOTIFICATION_EVENTS } from '../domain/notifications/notification-event.ts'
import { WEEKDAYS } from '../domain/notifications/quiet-hours.ts'
import { closed, name, optional } from './setting-schemas.ts'
import { oneOf } from '@plumbline/contract'

const choices = <const Value extends string>(values: readonly Value[], description: string) =>
  optional(Type.Array(oneOf(values), { minItems: 1, description }))

const numbers = (description: string, minimum = 1, maximum = 2_147_483_647) =>
  optional(Type.Array(Type.Integer({ minimum, maximum }), { minItems: 1, description }))

const clock = (description: string) =>
  Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    title: 'a time such as 22:00',
    description,
  })

const QuietHours = Type.Object(
  {
    from: clock('Start, HH:mm in the time zone of the structure.'),
    to: clock('End. A time that is not after the start is on the next day.'),
    days: choices(WEEKDAYS, `Weekdays of the start: ${WEEKDAYS.join(', ')}. Default: every day.`),
    exceptLevels: numbers('Alarm levels that are sent in quiet hours too.', 1, 99),
  },
  closed,
)

/** A notification rule: which transitions of which alarms are sent to which channels. */
export const RuleSettings = Type.Object(
  {
    name: name('Name of the rule in messages and in the log'),
    to: Type.Array(Type.String(), { minItems: 1, description: 'Names of channels.' }),
    structures: numbers('Ids of structures. Default: all.'),
    levels: numbers('Alarm levels. Default: all.', 1, 99),
    types: numbers('Alarm types: 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. Default: all.', 1, 5),
    events: choices(
      NOTIFICATION_EVENTS,
      `Events: ${NOTIFICATION_EVENTS.join(', ')}. Default: all but repeated.`,
    ),
    quietHours: optional(
      Type.Array(QuietHours, {
        description: 'Hours in which nothing is sent; the deliveries are listed as suppressed.',
      }),
    ),
    reminderEvery: optional(
      Type.Integer({
        minimum: 10,
        maximum: 31_536_000,
        unit: 'seconds',
        description: 'Seconds after which an open alarm is sent again. Default: never.',
      }),
    ),
  },
  closed,
)
