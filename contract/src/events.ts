import { Type, type Static } from 'typebox'
import { FoundAlarm } from './alarm-lists.ts'
import { AlarmDetail } from './alarms.ts'
import { Id } from './common.ts'
import { finding, operation } from './operation.ts'

export type AlarmEvent = Static<typeof AlarmEvent>
/** A transition of an alarm. */
export const AlarmEvent = Type.Object({
  type: Type.Literal('alarm'),
  id: Type.String({ description: 'For `lastEventId` and the header `Last-Event-ID`.' }),
  step: Type.Integer({ description: 'Index of the transition in the details of the alarm.' }),
  transition: AlarmDetail,
  alarm: FoundAlarm,
})

export type NewestEvent = Static<typeof NewestEvent>
/** Stations of a structure have newer records. */
export const NewestEvent = Type.Object({
  type: Type.Literal('newest'),
  structureId: Id,
  stationIds: Type.Array(Id),
})

export type ResetEvent = Static<typeof ResetEvent>
/** Events were lost: read the state again. */
export const ResetEvent = Type.Object({
  type: Type.Literal('reset'),
  id: Type.String({ description: 'For `lastEventId` and the header `Last-Event-ID`.' }),
})

export type ServerEvent = Static<typeof ServerEvent>
export const ServerEvent = Type.Union([AlarmEvent, NewestEvent, ResetEvent])

export type EventStream = Static<typeof EventStream>
/** Server-sent events; their `data` is JSON. */
export const EventStream = Type.Unsafe<AsyncIterable<ServerEvent>>({
  type: 'string',
  format: 'event-stream',
})

export const streamEvents = operation({
  operationId: 'streamEvents',
  summary: 'Follow alarms and new records as server-sent events',
  method: 'GET',
  url: '/events',
  base: '/manage/v1',
  noun: 'events',
  produces: 'text/event-stream',
  config: finding('Events could not be followed'),
  schema: {
    querystring: Type.Object({
      lastEventId: Type.Optional(
        Type.String({
          maxLength: 64,
          description:
            'The `id` of the last event that was received. The header `Last-Event-ID`, which browsers send, takes precedence.',
        }),
      ),
    }),
    response: { 200: EventStream },
  },
})
