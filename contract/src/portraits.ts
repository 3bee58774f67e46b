import { Type, type Static } from 'typebox'
import { Id, LIST_MAXIMUM } from './common.ts'
import { administering, operation } from './operation.ts'

/** The most bytes of a portrait picture. */
export const PORTRAIT_MAXIMUM_BYTES = 8 * 1024 * 1024

const Picture = Type.Unsafe<Uint8Array>({
  format: 'binary',
  description: 'JPEG, PNG or WebP, as its bytes say.',
})

export type Portrait = Static<typeof Portrait>
export const Portrait = Type.Object({
  portrait: Type.String({
    description: 'Path of the picture, such as `/files/portraits/1-5b0c….png`.',
  }),
})

export const putPortrait = operation({
  operationId: 'putPortrait',
  summary: 'Set the portrait picture of a structure',
  method: 'PUT',
  url: '/structures/:structureId/portrait',
  base: '/manage/v1',
  noun: 'portraits',
  consumes: ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream'],
  bodyLimit: PORTRAIT_MAXIMUM_BYTES,
  config: administering('The portrait was not stored'),
  schema: {
    params: Type.Object({ structureId: Id }),
    body: Type.Object(
      { picture: Picture },
      // The body is the bytes of this member, not JSON.
      { plain: 'picture' },
    ),
    response: { 200: Portrait },
  },
})

export const deletePortrait = operation({
  operationId: 'deletePortrait',
  summary: 'Delete the portrait picture of a structure',
  method: 'DELETE',
  url: '/structures/:structureId/portrait',
  base: '/manage/v1',
  noun: 'portraits',
  config: administering('The portrait was not deleted'),
  schema: {
    params: Type.Object({ structureId: Id }),
    response: { 204: Type.Void() },
  },
})

const Share = Type.Number({ minimum: 0, maximum: 1 })

export const setPositions = operation({
  operationId: 'setPositions',
  summary: 'Set where the stations of a structure are on its portrait',
  method: 'PUT',
  url: '/structures/:structureId/positions',
  base: '/manage/v1',
  noun: 'portraits',
  config: administering('The positions were not stored'),
  schema: {
    params: Type.Object({ structureId: Id }),
    body: Type.Object({
      positions: Type.Array(Type.Object({ stationId: Id, x: Share, y: Share }), {
        maxItems: 10 * LIST_MAXIMUM,
        description:
          'All positions of the structure: `x` from the left, `y` from the top, in shares of width and height. Stations that are left out have none.',
      }),
    }),
    response: { 204: Type.Void() },
  },
})
