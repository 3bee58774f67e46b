import { Type, type Static } from 'typebox'
import { Structure } from './site-structure.ts'
import { id, ids, itemKey, name, text, timeZone } from './site-values.ts'

export { ThresholdBatch } from './site-thresholds.ts'

const closed = { additionalProperties: false }

const User = Type.Object(
  {
    id: id('User id, the `userId` in paths.'),
    name: name('Name of the user.'),
    structures: Type.Union(
      [Type.Literal('all'), ids('Ids of the structures that the user may read.')],
      {
        description: 'The structures that the user may read: `all`, or a list of structure ids.',
      },
    ),
  },
  { ...closed, description: 'A person or company whose applications read data.' },
)

const named = (what: string) =>
  Type.Object(
    { id: id(`Id of the ${what}.`), name: name(`Name of the ${what}.`) },
    { ...closed, description: `A ${what}.` },
  )

const Factor = Type.Object(
  {
    id: id('Factor id.'),
    name: name('Name of the factor.'),
    structureTypes: Type.Optional(
      ids('Ids of the structure types that have the factor. Left out: every type.'),
    ),
    timeDivision: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether its thresholds may depend on the time of day.',
      }),
    ),
    items: Type.Array(
      Type.Object(
        {
          id: id('Item id, unique over all factors.'),
          key: itemKey('Item key, unique within the factor.'),
          name: name('Name of the item.'),
          unit: Type.Optional(text('Its unit.', '')),
          precision: Type.Number({
            exclusiveMinimum: 0,
            description: 'The step to which values are rounded, for example 0.01.',
          }),
        },
        { ...closed, description: 'An item: one number of a record.' },
      ),
      { description: 'The items in order; the first one has index 0.' },
    ),
  },
  { ...closed, description: 'A monitored quantity with its items.' },
)

/** A site file, which `plumbline site apply` reads. */
export const SiteFile = Type.Object(
  {
    timeZone: Type.Optional(timeZone('The IANA time zone of structures without one of their own.')),
    users: Type.Optional(
      Type.Array(User, {
        description:
          'Users and the structures that they may read. Users who are not listed are removed. Left ' +
          'out: no user changes.',
      }),
    ),
    projects: Type.Optional(
      Type.Array(named('project'), { default: [], description: 'Projects.' }),
    ),
    structureTypes: Type.Optional(
      Type.Array(named('structure type'), { default: [], description: 'Types of structures.' }),
    ),
    factors: Type.Optional(Type.Array(Factor, { default: [], description: 'Factors.' })),
    structures: Type.Optional(
      Type.Array(Structure, {
        default: [],
        description: 'Structures with their stations, devices, thresholds and cameras.',
      }),
    ),
  },
  { ...closed, description: 'A site file of Plumbline.' },
)

export type SiteFile = Static<typeof SiteFile>
