import { Type, type Static } from 'typebox'
import { DatetimeString, Jpeg, Id, LIMIT_MAXIMUM, LIST_MAXIMUM } from './common.ts'
import { finding, operating, operation } from './operation.ts'

export type AlarmStatus = Static<typeof AlarmStatus>
export const AlarmStatus = Type.Union([Type.Literal('new'), Type.Literal('history')])

export type AlarmOrder = Static<typeof AlarmOrder>
export const AlarmOrder = Type.Union([
  Type.Literal('level'),
  Type.Literal('count'),
  Type.Literal('startTime'),
  Type.Literal('endTime'),
])

export type OrderDirection = Static<typeof OrderDirection>
export const OrderDirection = Type.Union([Type.Literal('asc'), Type.Literal('desc')])

export type Alarm = Static<typeof Alarm>
export const Alarm = Type.Object({
  id: Id,
  source: Type.Object({ id: Type.String(), name: Type.String() }),
  sourceType: Type.Object({
    id: Type.Integer({ minimum: 0, maximum: 2, description: '0 DTU, 1 sensor, 2 station.' }),
    name: Type.String(),
  }),
  alarmTypeCode: Type.String(),
  level: Type.Integer(),
  content: Type.String(),
  count: Type.Integer({ minimum: 1 }),
  state: Type.Integer({
    minimum: 0,
    maximum: 4,
    description:
      '0 new, 1 repeated at the same level, 2 escalated to a higher level, 3 automatically cleared, 4 manually confirmed.',
  }),
  startTime: DatetimeString,
  endTime: DatetimeString,
})

export type AlarmList = Static<typeof AlarmList>
export const AlarmList = Type.Object({
  count: Type.Integer({
    minimum: 0,
    description: 'The number of all matching alarms, also on other pages.',
  }),
  alarms: Type.Array(
    Type.Object({
      structureId: Id,
      structureName: Type.String(),
      alarms: Type.Array(Alarm),
    }),
  ),
})

export type AlarmDetail = Static<typeof AlarmDetail>
export const AlarmDetail = Type.Object({
  sponsor: Type.String(),
  alarmCode: Type.String(),
  alarmState: Type.Integer({
    minimum: 0,
    maximum: 4,
    description:
      '0 new, 1 repeated at the same level, 2 escalated to a higher level, 3 automatically cleared, 4 manually confirmed.',
  }),
  currentLevel: Type.Integer(),
  content: Type.String(),
  time: DatetimeString,
})

export type AlarmFilter = Static<typeof AlarmFilter>
/** The filters of the list. An empty list or text is no filter. */
export const AlarmFilter = Type.Object({
  structures: Type.Optional(Type.Array(Id, { list: true, maxItems: LIST_MAXIMUM })),
  status: Type.Optional(AlarmStatus),
  levels: Type.Optional(Type.Array(Type.Integer(), { list: true, maxItems: LIST_MAXIMUM })),
  types: Type.Optional(
    Type.Array(Type.Integer(), {
      list: true,
      maxItems: LIST_MAXIMUM,
      description:
        '1 data anomaly, 2 DTU anomaly, 3 sensor anomaly, 4 gateway anomaly, 5 node anomaly.',
    }),
  ),
  startTime: Type.Optional(DatetimeString),
  endTime: Type.Optional(DatetimeString),
  keywords: Type.Optional(Type.String()),
})

export const countAlarms = operation({
  operationId: 'countAlarms',
  summary: 'Count the alarms of a user',
  method: 'GET',
  url: '/users/:userId/alarms/:status/count',
  base: '/api/v1',
  noun: 'alarms',
  config: finding('Alarm query failed'),
  schema: {
    params: Type.Object({ userId: Id, status: AlarmStatus }),
    response: { 200: Type.Object({ count: Type.Integer({ minimum: 0 }) }) },
  },
})

export const listAlarms = operation({
  operationId: 'listAlarms',
  summary: 'List the alarms of a user, paged and sorted',
  method: 'POST',
  url: '/users/:userId/alarms',
  base: '/api/v1',
  noun: 'alarms',
  config: finding('Alarm query failed'),
  schema: {
    params: Type.Object({ userId: Id }),
    /** Clients without a body send the filters here; those of a body take precedence. */
    querystring: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAXIMUM, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
      orderBy: Type.Union(AlarmOrder.anyOf, { default: 'level' }),
      orderDirection: Type.Union(OrderDirection.anyOf, { default: 'asc' }),
      ...AlarmFilter.properties,
    }),
    body: Type.Optional(AlarmFilter),
    response: { 200: AlarmList },
  },
})

export const listAlarmDetails = operation({
  operationId: 'listAlarmDetails',
  summary: 'List the transitions of an alarm',
  method: 'GET',
  url: '/alarms/:alarmId/details',
  base: '/api/v1',
  noun: 'alarms',
  config: finding('Alarm query failed'),
  schema: {
    params: Type.Object({ alarmId: Id }),
    response: { 200: Type.Array(AlarmDetail) },
  },
})

export const confirmAlarm = operation({
  operationId: 'confirmAlarm',
  summary: 'Confirm and thereby close an open alarm',
  method: 'POST',
  url: '/alarms/:alarmId/confirm',
  base: '/manage/v1',
  noun: 'alarms',
  config: operating('Alarm not confirmed'),
  schema: {
    params: Type.Object({ alarmId: Id }),
    body: Type.Object({
      comment: Type.String({
        maxLength: 500,
        description: 'Stored as the content of the transition.',
      }),
    }),
    response: { 200: Alarm },
  },
})

export type AlarmSnapshot = Static<typeof AlarmSnapshot>
/** A picture that a camera took of an alarm, or why there is none; both are null while it waits. */
export const AlarmSnapshot = Type.Object({
  id: Id,
  camera: Id,
  time: Type.Union([DatetimeString, Type.Null()], {
    description: 'When the picture was taken; null while it waits, and where there is none.',
  }),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: 'Why there is no picture; null while it waits, and where there is one.',
  }),
})

export const listAlarmSnapshots = operation({
  operationId: 'listAlarmSnapshots',
  summary: 'List the pictures that cameras took of an alarm',
  method: 'GET',
  url: '/alarms/:alarmId/snapshots',
  base: '/manage/v1',
  noun: 'alarms',
  config: finding('Alarm query failed'),
  schema: {
    params: Type.Object({ alarmId: Id }),
    response: { 200: Type.Array(AlarmSnapshot) },
  },
})

export const getAlarmSnapshot = operation({
  operationId: 'getAlarmSnapshot',
  summary: 'Get a picture that a camera took of an alarm',
  method: 'GET',
  url: '/alarms/:alarmId/snapshots/:snapshotId',
  base: '/manage/v1',
  noun: 'alarms',
  produces: 'image/jpeg',
  config: finding('Alarm query failed'),
  schema: {
    params: Type.Object({ alarmId: Id, snapshotId: Id }),
    response: { 200: Jpeg },
  },
})
