import { Type, type Static } from 'typebox'
import { Id, LIST_MAXIMUM } from './common.ts'
import { finding, operating, operation } from './operation.ts'

const PAGE_MAXIMUM = 1000

const instant = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 253_402_300_799_999,
    description: `${description}; epoch milliseconds.`,
  })

const orNull = <Schema extends ReturnType<typeof Type.Integer> | ReturnType<typeof Type.String>>(
  schema: Schema,
) => Type.Union([schema, Type.Null()])

export type DeliveryState = Static<typeof DeliveryState>
export const DeliveryState = Type.Union([
  Type.Literal('waiting'),
  Type.Literal('delivered'),
  Type.Literal('suppressed'),
  Type.Literal('givenUp'),
])

export type Delivery = Static<typeof Delivery>
/** One notification to one channel, and its state. */
export const Delivery = Type.Object({
  id: Id,
  kind: Type.Union([Type.Literal('alarm'), Type.Literal('reminder'), Type.Literal('summary')]),
  alarm: orNull(Type.Integer({ description: 'Id of the alarm; null for a summary.' })),
  step: orNull(
    Type.Integer({ description: 'Index of the transition in the details of the alarm.' }),
  ),
  structure: orNull(Type.Integer()),
  channel: Type.String(),
  rules: Type.Array(Type.String(), {
    description: 'Names of the notification rules that selected the channel.',
  }),
  state: DeliveryState,
  attempts: Type.Integer(),
  createdAt: Type.Integer({ description: 'Epoch milliseconds.' }),
  nextAt: Type.Integer({
    description: 'When it is tried next, or when its state became final; epoch milliseconds.',
  }),
  lastError: orNull(Type.String({ description: 'The error of the last attempt.' })),
  reason: orNull(Type.String({ description: 'Why it was suppressed or given up.' })),
  deliveredAt: orNull(Type.Integer()),
})

export type Deliveries = Static<typeof Deliveries>
export const Deliveries = Type.Object({
  channels: Type.Array(
    Type.Object({
      channel: Type.String(),
      isConfigured: Type.Boolean({ description: 'Whether the channel is configured.' }),
      waiting: Type.Integer(),
      waitingSince: orNull(
        Type.Integer({
          description: 'When the oldest waiting delivery was due; epoch milliseconds.',
        }),
      ),
      givenUp: Type.Integer({
        description: 'Deliveries that were given up within `notifications.giveUpAfterDays`.',
      }),
    }),
  ),
  deliveries: Type.Array(Delivery),
})

export const listDeliveries = operation({
  operationId: 'listDeliveries',
  summary: 'List deliveries and the states of the channels',
  method: 'GET',
  url: '/deliveries',
  base: '/manage/v1',
  noun: 'notifications',
  config: finding('Deliveries query failed'),
  schema: {
    querystring: Type.Object({
      channel: Type.Optional(Type.String()),
      state: Type.Optional(DeliveryState),
      alarmId: Type.Optional(Id),
      before: Type.Optional(Type.Integer({ minimum: 1 })),
      limit: Type.Integer({ minimum: 1, maximum: PAGE_MAXIMUM, default: 100 }),
    }),
    response: { 200: Deliveries },
  },
})

export type Maintenance = Static<typeof Maintenance>
/** A maintenance window. */
export const Maintenance = Type.Object({
  id: Id,
  structures: Type.Array(Id),
  stations: Type.Array(Id, {
    description: 'Without stations and structures the window is for the whole site.',
  }),
  startsAt: Type.Integer({ description: 'Epoch milliseconds.' }),
  endsAt: Type.Integer({ description: 'Epoch milliseconds, inclusive.' }),
  reason: Type.String(),
  createdAt: Type.Integer(),
  endedAt: orNull(Type.Integer({ description: 'When it was ended early; epoch milliseconds.' })),
})

export const listMaintenance = operation({
  operationId: 'listMaintenance',
  summary: 'List maintenance windows, newest first',
  method: 'GET',
  url: '/maintenance',
  base: '/manage/v1',
  noun: 'notifications',
  config: finding('Maintenance query failed'),
  schema: {
    querystring: Type.Object({
      all: Type.Optional(
        Type.Boolean({ flag: true, description: 'Whether to list past windows too.' }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: PAGE_MAXIMUM, default: 100 }),
    }),
    response: { 200: Type.Object({ windows: Type.Array(Maintenance) }) },
  },
})

export const addMaintenance = operation({
  operationId: 'addMaintenance',
  summary: 'Add a maintenance window, in which notifications are suppressed',
  method: 'POST',
  url: '/maintenance',
  base: '/manage/v1',
  noun: 'notifications',
  config: operating('Maintenance could not be added'),
  schema: {
    body: Type.Object({
      structures: Type.Optional(Type.Array(Id, { maxItems: LIST_MAXIMUM })),
      stations: Type.Optional(Type.Array(Id, { maxItems: LIST_MAXIMUM })),
      startsAt: instant('Start'),
      endsAt: instant('End, inclusive'),
      reason: Type.String({ minLength: 1, maxLength: 500 }),
    }),
    response: { 200: Maintenance },
  },
})

export const endMaintenance = operation({
  operationId: 'endMaintenance',
  summary: 'End a maintenance window early',
  method: 'POST',
  url: '/maintenance/:windowId/end',
  base: '/manage/v1',
  noun: 'notifications',
  config: operating('Maintenance could not be ended'),
  schema: {
    params: Type.Object({ windowId: Id }),
    response: { 204: Type.Void() },
  },
})

export const sendTestMessage = operation({
  operationId: 'sendTestMessage',
  summary: 'Send a test message to a notification channel',
  method: 'POST',
  url: '/channels/:channel/test',
  base: '/manage/v1',
  noun: 'notifications',
  config: operating('The test message could not be sent'),
  schema: {
    params: Type.Object({ channel: Type.String({ minLength: 1 }) }),
    response: {
      200: Type.Object({
        delivered: Type.Boolean(),
        message: Type.String({ description: 'Result, as text.' }),
      }),
    },
  },
})
