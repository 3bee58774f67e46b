import { Type, type Static } from 'typebox'
import { Id, NamedId } from './common.ts'
import { finding, operation } from './operation.ts'

export type Structure = Static<typeof Structure>
export const Structure = Type.Object({
  id: Id,
  name: Type.String(),
  type: NamedId,
  latitude: Type.Number(),
  longitude: Type.Number(),
  portrait: Type.String({ description: 'Image reference.' }),
  projects: Type.Array(NamedId),
})

export type FactorItem = Static<typeof FactorItem>
export const FactorItem = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  name: Type.String(),
  unit: Type.String(),
  precision: Type.Number(),
})

export type Factor = Static<typeof Factor>
export const Factor = Type.Object({
  id: Id,
  name: Type.String(),
  items: Type.Array(FactorItem),
  checked: Type.Optional(
    Type.Boolean({
      description: 'Whether the structure has this factor configured; absent with `display`.',
    }),
  ),
  timeDivision: Type.Optional(
    Type.Boolean({
      description: 'Whether time-division thresholds can be configured; present with `display`.',
    }),
  ),
})

export type Station = Static<typeof Station>
export const Station = Type.Object({
  id: Id,
  name: Type.String(),
  portrait: Type.String(),
  labels: Type.Array(Type.String()),
  groupParams: Type.Record(Type.String(), Type.Unknown()),
  multiParams: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

export type Group = Static<typeof Group>
export const Group = Type.Object({
  id: Id,
  name: Type.String(),
  typeId: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
  stations: Type.Array(Station),
})

export type FactorStations = Static<typeof FactorStations>
export const FactorStations = Type.Object({
  factorId: Id,
  factorName: Type.String(),
  groups: Type.Array(Group),
})

/** True for any text except `false` and `0`; also for `?display` without a value. */
const Display = Type.Boolean({
  flag: true,
  description: 'Whether to list only the configured factors.',
})

export const listStructures = operation({
  operationId: 'listStructures',
  summary: 'List the structures that the application may read',
  method: 'GET',
  url: '/structures',
  base: '/api/v1',
  noun: 'structures',
  config: finding('Structures query failed'),
  schema: { response: { 200: Type.Array(Structure) } },
})

export const listFactors = operation({
  operationId: 'listFactors',
  summary: 'List the monitoring factors of a structure',
  method: 'GET',
  url: '/structures/:structureId/factors',
  base: '/api/v1',
  noun: 'structures',
  config: finding('Factors query failed'),
  schema: {
    params: Type.Object({ structureId: Id }),
    querystring: Type.Object({ display: Type.Optional(Display) }),
    response: { 200: Type.Array(Factor) },
  },
})

export const listStations = operation({
  operationId: 'listStations',
  summary: 'List the stations of a structure by factor and group',
  method: 'GET',
  url: '/structures/:structureId/stations',
  base: '/api/v1',
  noun: 'structures',
  config: finding('Stations query failed'),
  schema: {
    params: Type.Object({ structureId: Id }),
    querystring: Type.Object({ factorId: Type.Optional(Id) }),
    response: { 200: Type.Array(FactorStations) },
  },
})
