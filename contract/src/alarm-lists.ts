import { Type, type Static } from 'typebox'
import { Alarm, AlarmFilter, AlarmOrder, OrderDirection } from './alarms.ts'
import { Id, LIMIT_MAXIMUM, LIST_MAXIMUM } from './common.ts'
import { finding, operating, operation } from './operation.ts'

export type FoundAlarm = Static<typeof FoundAlarm>
/** An alarm with its structure and station. */
export const FoundAlarm = Type.Object({
  ...Alarm.properties,
  structureId: Id,
  structureName: Type.String(),
  stationId: Type.Optional(
    Type.Integer({ description: 'Only for an alarm of a station that the site has.' }),
  ),
  shelvedUntil: Type.Optional(
    Type.Integer({ description: 'Only while it is shelved; epoch milliseconds.' }),
  ),
})

export type FoundAlarms = Static<typeof FoundAlarms>
export const FoundAlarms = Type.Object({
  count: Type.Integer({
    minimum: 0,
    description: 'The number of all matching alarms, also on other pages.',
  }),
  alarms: Type.Array(FoundAlarm),
})

export const searchAlarms = operation({
  operationId: 'searchAlarms',
  summary: 'List the alarms of all structures that the caller may read, paged and sorted',
  method: 'GET',
  url: '/alarms',
  base: '/manage/v1',
  noun: 'alarms',
  config: finding('Alarm query failed'),
  schema: {
    querystring: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAXIMUM, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
      orderBy: Type.Union(AlarmOrder.anyOf, { default: 'level' }),
      orderDirection: Type.Union(OrderDirection.anyOf, { default: 'asc' }),
      ...AlarmFilter.properties,
    }),
    response: { 200: FoundAlarms },
  },
})

export type AlarmResults = Static<typeof AlarmResults>
/** What became of each alarm of a request, in the order of the request. */
export const AlarmResults = Type.Object({
  results: Type.Array(
    Type.Object({
      alarmId: Id,
      isDone: Type.Boolean(),
      reason: Type.Union([Type.String(), Type.Null()], {
        description: 'Why nothing was changed; null where it was.',
      }),
    }),
  ),
})

const AlarmIds = Type.Array(Id, { minItems: 1, maxItems: LIST_MAXIMUM })

const Comment = Type.String({ maxLength: 500 })

export const confirmAlarms = operation({
  operationId: 'confirmAlarms',
  summary: 'Confirm and thereby close several open alarms',
  method: 'POST',
  url: '/alarms/confirm',
  base: '/manage/v1',
  noun: 'alarms',
  config: operating('The alarms were not confirmed'),
  schema: {
    body: Type.Object({ alarmIds: AlarmIds, comment: Comment }),
    response: { 200: AlarmResults },
  },
})

export const shelveAlarms = operation({
  operationId: 'shelveAlarms',
  summary: 'Shelve open alarms: they notify nobody until an instant',
  method: 'POST',
  url: '/alarms/shelve',
  base: '/manage/v1',
  noun: 'alarms',
  config: operating('The alarms were not shelved'),
  schema: {
    body: Type.Object({
      alarmIds: AlarmIds,
      until: Type.Integer({
        minimum: 0,
        maximum: 253_402_300_799_999,
        description: 'The end, at most 30 days from now; epoch milliseconds.',
      }),
      comment: Comment,
    }),
    response: { 200: AlarmResults },
  },
})

export const unshelveAlarms = operation({
  operationId: 'unshelveAlarms',
  summary: 'End the shelving of alarms early',
  method: 'POST',
  url: '/alarms/unshelve',
  base: '/manage/v1',
  noun: 'alarms',
  config: operating('The shelving was not ended'),
  schema: {
    body: Type.Object({ alarmIds: AlarmIds }),
    response: { 200: AlarmResults },
  },
})

export type Shelving = Static<typeof Shelving>
/** A time for which an alarm was shelved. */
export const Shelving = Type.Object({
  from: Type.Integer({ description: 'Epoch milliseconds.' }),
  until: Type.Integer({ description: 'The end that was asked for; epoch milliseconds.' }),
  comment: Type.String(),
  sponsor: Type.String({ description: 'Who shelved it, as in the details of an alarm.' }),
  endedAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'When it ended, by its time, early or by an escalation; null while it is shelved.',
  }),
  endedBy: Type.Union(
    [
      Type.Literal('time'),
      Type.Literal('person'),
      Type.Literal('escalation'),
      Type.Literal('close'),
      Type.Null(),
    ],
    { description: 'Why it ended: its time, a person, an escalation, or the close of the alarm.' },
  ),
})

export const listShelvings = operation({
  operationId: 'listShelvings',
  summary: 'List the times for which an alarm was shelved, oldest first',
  method: 'GET',
  url: '/alarms/:alarmId/shelvings',
  base: '/manage/v1',
  noun: 'alarms',
  config: finding('Alarm query failed'),
  schema: {
    params: Type.Object({ alarmId: Id }),
    response: { 200: Type.Array(Shelving) },
  },
})
