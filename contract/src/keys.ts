import { Type, type Static } from 'typebox'
import { Id, LIST_MAXIMUM, Uuid } from './common.ts'
import { administering, operation } from './operation.ts'

const KeyName = Type.String({ minLength: 1, maxLength: 200 })

export type KeyTargets = Static<typeof KeyTargets>
/** What an ingest key may write to: structures with all that belongs to them, stations, sensors. */
export const KeyTargets = Type.Object({
  structures: Type.Array(Id),
  stations: Type.Array(Id),
  sensors: Type.Array(Uuid, { description: 'Sensors and other devices.' }),
})

export type IngestKey = Static<typeof IngestKey>
/** An ingest key, without its secret. */
export const IngestKey = Type.Object({
  name: Type.String(),
  targets: Type.Union([KeyTargets, Type.Null()], {
    description: 'What it may write to; null: everything.',
  }),
  createdAt: Type.Integer({ description: 'Epoch milliseconds.' }),
  revokedAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Epoch milliseconds; null: it is in use.',
  }),
})

export const listKeys = operation({
  operationId: 'listKeys',
  summary: 'List ingest keys, oldest first',
  method: 'GET',
  url: '/keys',
  base: '/manage/v1',
  noun: 'keys',
  config: administering('Keys query failed'),
  schema: { response: { 200: Type.Object({ keys: Type.Array(IngestKey) }) } },
})

export const createKey = operation({
  operationId: 'createKey',
  summary: 'Create an ingest key, which is shown once',
  method: 'POST',
  url: '/keys',
  base: '/manage/v1',
  noun: 'keys',
  config: administering('The key could not be created'),
  schema: {
    body: Type.Object({
      name: KeyName,
      structures: Type.Optional(Type.Array(Id, { maxItems: LIST_MAXIMUM })),
      stations: Type.Optional(Type.Array(Id, { maxItems: LIST_MAXIMUM })),
      sensors: Type.Optional(Type.Array(Uuid, { maxItems: LIST_MAXIMUM })),
    }),
    response: { 200: Type.Object({ key: Type.String({ description: 'Shown once.' }) }) },
  },
})

export const revokeKey = operation({
  operationId: 'revokeKey',
  summary: 'Revoke an ingest key; its requests and MQTT sessions end immediately',
  method: 'POST',
  url: '/keys/revoke',
  base: '/manage/v1',
  noun: 'keys',
  config: administering('The key could not be revoked'),
  schema: { body: Type.Object({ name: KeyName }), response: { 204: Type.Void() } },
})
