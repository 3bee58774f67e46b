import { Type } from 'typebox'
import { itemKey, name } from './site-values.ts'

const closed = { additionalProperties: false }

const Inclinometer = Type.Object(
  {
    kind: Type.Literal('inclinometer', {
      description: 'Sums of the segments of an inclinometer chain from its fixed end.',
    }),
    depth: Type.Optional({
      ...name("The group's parameter that holds each station's depth."),
      default: 'depth',
    }),
    fixedEnd: Type.Enum(['bottom', 'top'], {
      description: 'The end that does not move: `bottom`, the greatest depth, or `top`.',
    }),
    sums: Type.Record(Type.String(), itemKey('Key of the item that is summed.'), {
      description: 'The items that are given as sums, each with the item that is summed.',
    }),
  },
  { ...closed, description: 'An inclinometer chain.' },
)

const Settlement = Type.Object(
  {
    kind: Type.Literal('settlement', {
      description: 'Differences of hydrostatic levels to the base point.',
    }),
    item: Type.Optional({
      ...itemKey('Key of the item that is given as the difference to the base point.'),
      default: 'settling',
    }),
    isBase: Type.Optional({
      ...name("The group's parameter that is true at the base point."),
      default: 'isBase',
    }),
  },
  { ...closed, description: 'A hydrostatic levelling line.' },
)

/** How the values of a group's stations make each other's. */
export const GroupConversion = Type.Union([Inclinometer, Settlement], {
  description:
    "What is computed from the values of the group's stations together. Left out: nothing.",
})
