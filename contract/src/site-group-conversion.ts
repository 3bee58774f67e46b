import { Type } from 'typebox'
import { itemKey, name } from './site-values.ts'
import { oneOf } from './common.ts'

const closed = { additionalProperties: false }

const Inclinometer = Type.Object(
  {
    kind: Type.Literal('inclinometer', {
      description: 'Sums of the segments of an inclinometer chain from its fixed end.',
    }),
    depth: Type.Optional({
      ...name('The group parameter with the depth of a station.'),
      default: 'depth',
    }),
    fixedEnd: oneOf(['bottom', 'top'], {
      description: 'The fixed end: `bottom`, which is the greatest depth, or `top`.',
    }),
    sums: Type.Record(Type.String(), itemKey('Key of the item that is summed.'), {
      description: 'The items that are sums, each with the key of the item that is summed.',
    }),
  },
  { ...closed, description: 'An inclinometer chain.' },
)

const Settlement = Type.Object(
  {
    kind: Type.Literal('settlement', {
      description: 'Differences of hydrostatic levels from the base point.',
    }),
    item: Type.Optional({
      ...itemKey('Key of the item that is the difference from the base point.'),
      default: 'settling',
    }),
    isBase: Type.Optional({
      ...name('The group parameter that is true at the base point.'),
      default: 'isBase',
    }),
  },
  { ...closed, description: 'A hydrostatic levelling line.' },
)

/** A conversion of the values of all stations of a group together. */
export const GroupConversion = Type.Union([Inclinometer, Settlement], {
  description: 'A conversion of the values of all stations of the group together. Left out: none.',
})
